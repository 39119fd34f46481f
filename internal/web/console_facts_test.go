package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// get sends a request like the page and decodes the answer.
func (p *page) get(into any, method, path, body string) {
	p.f.t.Helper()
	status, text := p.ask(method, path+"?room=home", body)
	if err := json.Unmarshal([]byte(text), into); err != nil || status != http.StatusOK {
		p.f.t.Fatalf("%s %s %s = %d, %s", method, path, body, status, text)
	}
}

// lineWith waits for the session's line with a text to be stored, and returns it.
func (f *fixture) lineWith(session, text string) memory.Line {
	f.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		lines, err := f.game.Store.Recent(f.t.Context(), session, 50)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, l := range lines {
			if l.Text == text {
				return l
			}
		}
	}
	f.t.Fatalf("no line reads %q", text)
	return memory.Line{}
}

// TestFactsLeadToTheirLines looks up a fact said twice in one session and once in another, an
// entry learnt from a line, and a memory in an NPC's own words.
func TestFactsLeadToTheirLines(t *testing.T) {
	f := consoleOpen(t)
	const (
		bells  = "Bartok, the bell of the drowned chapel rang at noon"
		oath   = "Bartok, I promise to bring you the copper kettle"
		secret = "Bartok, the chapel key lies beneath the third step"
	)
	p := f.visit("lead")
	older := f.session.ID()
	f.hear(bells)
	p.follow(`"kind":"turn.ended","turn":1`)
	first := f.lineWith(older, bells)
	f.beginAnother(play.SessionOptions{Sink: discard{}})
	newer := f.session.ID()
	f.hear(bells)
	f.hear(oath)
	p.follow(newer, `"kind":"turn.ended","turn":2`)
	second, promise := f.lineWith(newer, bells), f.lineWith(newer, oath)
	if _, err := f.session.Table.Whisper(t.Context(), "Bartok", whispered(secret)); err != nil {
		t.Fatal(err)
	}
	p.follow(newer, `"kind":"turn.ended","turn":3`)
	hidden := f.lineWith(newer, secret)
	if err := f.game.Store.Remember(t.Context(), memory.Fact{Source: "session:" + older, Text: "Somebody cares about drowned chapels.", At: first.At}); err != nil {
		t.Fatal(err)
	}

	type found struct {
		Facts []struct {
			Text, Source, Session string
			Line                  int64
		}
	}
	look := func(p *page, query string) map[string]bool {
		var got found
		p.get(&got, "POST", "/console/facts", `{"query":"`+query+`"}`)
		all := map[string]bool{}
		for _, one := range got.Facts {
			all[fmt.Sprintf("%s: %s is line %d of %s", one.Source, one.Text, one.Line, one.Session)] = true
		}
		return all
	}
	at := func(l memory.Line) string {
		return fmt.Sprintf("session:%s: Ana: %s is line %d of %s", l.Session, l.Text, l.ID, l.Session)
	}
	chapel := look(p, "bell of the drowned chapel")
	for _, want := range []string{at(first), at(second), fmt.Sprintf("session:%s: Somebody cares about drowned chapels. is line %d of %s", older, first.ID, older)} {
		if !chapel[want] {
			t.Errorf("it is not found that %s among %v", want, chapel)
		}
	}
	if got := look(p, "chapel key third step"); !got[at(hidden)] {
		t.Errorf("whoever leads is not told of what was whispered: %v", got)
	}
	if got := look(f.visit("full"), "chapel key third step"); got[at(hidden)] {
		t.Errorf("a player is told of what was whispered: %v", got)
	}

	var learnt struct {
		Waiting []struct {
			ID      int64
			Session string
			Lines   []int64
		}
	}
	p.get(&map[string]any{}, "POST", "/console/memory", `{"how":"gather"}`)
	p.get(&learnt, "GET", "/console/memory", "")
	var id int64
	for _, one := range learnt.Waiting {
		if one.Session == newer && slices.Equal(one.Lines, []int64{promise.ID}) {
			id = one.ID
		}
	}
	if id == 0 {
		t.Fatalf("nothing of line %d of %s is proposed, but %+v", promise.ID, newer, learnt.Waiting)
	}
	p.get(&map[string]any{}, "POST", "/console/memory", fmt.Sprintf(`{"id":%d,"how":"accept","text":"Ana owes a copper kettle."}`, id))
	if got, want := look(p, "Who owes a copper kettle?"), fmt.Sprintf("chronicle:%d: Ana owes a copper kettle. is line %d of %s", id, promise.ID, newer); !got[want] {
		t.Errorf("it is not found that %s among %v", want, got)
	}
}
