package web_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// card has the fields of an NPC's card that the tests check.
type card struct {
	Name, Engine, Configured, Voice, Directive string
	EngineWhy                                  string `json:"engine_why"`
	Tier, Ceiling                              string
	LeaseTier                                  string `json:"lease_tier"`
	LeaseTurns                                 int    `json:"lease_turns"`
	Revealed                                   int
	Muted                                      bool
}

// card returns Bartok's card on the page.
func (p *page) card() card {
	p.f.t.Helper()
	status, text := p.ask("GET", "/console/table?room=home", "")
	var v struct{ NPCs []card }
	if err := json.Unmarshal([]byte(text), &v); err != nil || len(v.NPCs) == 0 {
		p.f.t.Fatalf("the table = %d, %s", status, text)
	}
	return v.NPCs[0]
}

// TestCardsShowTheEngineInUse configures a speech-to-speech engine without its model. The card
// shows the engine in use, also after the session.
func TestCardsShowTheEngineInUse(t *testing.T) {
	f := openWith(t, strings.Replace(settings, "{name: Bartok,", "{name: Bartok, engine: s2s, voice: {id: en+m3},", 1)+"providers: {s2s: {name: none}}\n")
	want := card{Name: "Bartok", Engine: "cascaded", Configured: "s2s", EngineWhy: "no_speech_model", Voice: "en+m3", Tier: "standard", Ceiling: "standard"}
	if got := f.visit("lead").card(); got != want {
		t.Errorf("the card is %+v, want %+v", got, want)
	}
	want.Voice = "" // not for every visitor
	if got := f.visit("full").card(); got != want {
		t.Errorf("a player's card is %+v, want %+v", got, want)
	}
	f.console.Onlook("home").Ended(f.game, f.session)
	if got := f.visit("full").card(); got != want {
		t.Errorf("the card of who does not play is %+v, want %+v", got, want)
	}
}
