package play

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// TestPricesAreForMillions charges each kind of usage with a price per million.
func TestPricesAreForMillions(t *testing.T) {
	rate := func(x float64) *float64 { return &x }
	g := &Game{Metrics: newMetrics(t), Config: &config.Config{Cost: config.Cost{
		Currency: "EUR", SoftCap: 0.000001, HardCap: 2,
		Prices: []config.Price{{
			Provider: "p*", Input: rate(1), Output: rate(2), Cached: rate(0.5), AudioInput: rate(3), AudioOutput: rate(4), Minute: rate(0.6), Characters: rate(5),
		}, {Provider: "pf", Input: rate(0), Output: rate(0)}},
	}}}
	for _, tt := range []struct {
		provider string
		used     cost.Usage
		want     float64
	}{
		{"p", cost.Usage{Input: 1}, 1e-6},
		{"p", cost.Usage{Output: 1}, 2e-6},
		{"p", cost.Usage{Input: 1, Cached: 1}, 5e-7},
		{"p", cost.Usage{AudioInput: 1}, 3e-6},
		{"p", cost.Usage{AudioOutput: 1}, 4e-6},
		{"p", cost.Usage{Characters: 1}, 5e-6},
		{"p", cost.Usage{Heard: 1e8}, 1e-3},
		{"p", cost.Usage{Spoken: 1e8}, 1e-3},
		{"pf", cost.Usage{Input: 1000}, 0},
	} {
		m := g.newMeter(true)
		m.Account("").Charge(tt.provider, tt.used)
		r := m.Report()
		if r.Total.Amount != cost.Units(tt.want) || r.Total.Unpriced || r.Currency != "EUR" || r.HardCap != cost.Units(2) {
			t.Errorf("%v of %s: %+v, want %v", tt.used, tt.provider, r, tt.want)
		}
		if want := map[bool]cost.Level{true: cost.Noticed, false: cost.Within}[tt.want > 0 && tt.want != 5e-7]; m.Level() != want {
			t.Errorf("%v of %s: level %v, want %v", tt.used, tt.provider, m.Level(), want)
		}
	}
	got := samples(t, g.Metrics)
	if got[`glyphoxa_usage_total{kind="input_tokens",provider="pf"}`] != "1000" || got[`glyphoxa_cost_total{currency="EUR",provider="p"}`] == "" {
		t.Errorf("metrics lack what was charged: %v", got)
	}
}

// TestTheVoiceThatSpeaksIsCharged: of a service that refuses, the next that speaks and the
// cache, only the speaking service is charged.
func TestTheVoiceThatSpeaksIsCharged(t *testing.T) {
	serve := func(f http.HandlerFunc) string {
		s := httptest.NewServer(f)
		t.Cleanup(s.Close)
		return s.URL
	}
	p, _, err := providers.Voice(nil, config.ProviderChain{
		Provider: config.Provider{Name: providers.ElevenLabs, APIKey: "k", BaseURL: serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })},
		Fallback: []config.Provider{{Name: providers.OpenAI, BaseURL: serve(func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 48000)) }) + "/v1"}},
	}, tts.NewPhraseCache([]string{"Hm."}, nil), prepareText(config.NormaliseAuto, "en"), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := cost.NewMeter(cost.Options{})
	v := &voice{levels: &levels{}, provider: p}
	npc := config.NPC{ID: "bart", Name: "Bartok", Lines: map[string][]string{"filler": {"Hm."}}}
	v.warmPhrases(m, []config.NPC{npc}, "filler")
	v.warming.Wait()
	for _, text := range []string{"Hm.", "2 rats."} { // spoken as "two rats."
		for _, err := range v.Synthesize(cost.WithAccount(context.Background(), m.Account("Bartok")), npc, text) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	want := []cost.Entry{{Name: "Bartok", Sum: cost.Sum{Usage: cost.Usage{Characters: 3 + 9, Spoken: 2e9}, Unpriced: true}}}
	if diff := cmp.Diff(want, m.Report().NPCs); diff != "" {
		t.Errorf("by NPC (-want +got):\n%s", diff)
	}
	want[0].Name = "openai gpt-4o-mini-tts"
	if diff := cmp.Diff(want, m.Report().Providers); diff != "" {
		t.Errorf("by provider (-want +got):\n%s", diff)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// TestWarmingIsCharged warms up a phrase.
func TestWarmingIsCharged(t *testing.T) {
	m := cost.NewMeter(cost.Options{})
	v := &voice{levels: &levels{}, provider: cost.MeteredVoice(&tone{})}
	v.warmPhrases(m, []config.NPC{{Name: "Bartok", Lines: map[string][]string{"filler": {"Hm."}}}}, "filler")
	v.warming.Wait()
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if r := m.Report(); len(r.NPCs) != 1 || r.NPCs[0].Name != "Bartok" || r.NPCs[0].Characters != 3 {
		t.Errorf("charged %+v, want three characters of Bartok's", r.NPCs)
	}
}
