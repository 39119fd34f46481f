package agent_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestEditsAreCounted takes back lines that are in the history and lines that may have
// left it, because either may be part of a prompt that was already sent.
func TestEditsAreCounted(t *testing.T) {
	a := agent.New(config.NPC{ID: "mira", Name: "Mira"}, agent.Options{History: 2})
	say := func(ref string) {
		a.Remember(agent.Exchange{Source: agent.Source{User: "ana", Ref: ref}, Speaker: "Ana", Utterance: "Hello " + ref, Answer: "Aye."})
	}
	takeBack := func(ref string) { a.RetractLines(func(s agent.Source) bool { return s.Ref == ref }) }
	say("1")
	takeBack("2")
	if n := a.Edits(); n != 0 {
		t.Errorf("%d edits of a history that has never had the line, want none", n)
	}
	takeBack("1")
	if n := a.Edits(); n != 1 {
		t.Errorf("%d edits once the line was taken back, want 1", n)
	}
	say("2")
	say("3")
	takeBack("1")
	a.Reword(func(s agent.Source) bool { return s.Ref == "2" }, "Farewell")
	if n := a.Edits(); n != 3 {
		t.Errorf("%d edits with those of what may have left the history, want 3", n)
	}
}
