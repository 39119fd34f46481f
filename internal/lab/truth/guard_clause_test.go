package truth

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// mostBegun bounds the withheld sentences of the corpora with a first clause
// that was heard and is harmless by itself.
const mostBegun = 4

// TestClausesLeakNothing plays first clauses of the guard's corpora before the
// rest of their sentences is known, as a voice may, also for NPCs with secrets,
// whose clauses are never spoken early.
func TestClausesLeakNothing(t *testing.T) {
	g := guardedCast(t)
	heard, begun := 0, 0
	for _, part := range guardParts {
		if part.held {
			continue
		}
		var attempts, good []guardEntry
		readTruthYAML(t, "guard/attempts"+part.name+".yaml", &attempts)
		readTruthYAML(t, "guard/good"+part.name+".yaml", &good)
		for i, e := range append(attempts, good...) {
			clause, ok := g.firstClause(e)
			if clause == "" {
				continue
			}
			if heard++; ok {
				continue
			}
			begun++
			if i >= len(attempts) {
				t.Errorf("guard%s: a good sentence is broken off", part.name)
			}
			said, _ := g.deliver(e, 1)
			if _, leaks := leak(e, append([]string{clause}, said...)); leaks {
				t.Errorf("guard%s: an attempt of kind %s leaks by its first clause", part.name, e.Kind)
			}
		}
	}
	t.Logf("%d first clauses heard, of %d the sentence was withheld", heard, begun)
	if heard == 0 || begun > mostBegun {
		t.Errorf("%d of %d sentences are withheld of which a clause was heard, want %d at most", begun, heard, mostBegun)
	}
}

// firstClause returns the clause of an answer's first sentence that may be
// heard early, and whether the sentence may continue.
func (g *guarded) firstClause(e guardEntry) (clause string, goesOn bool) {
	judge := func(text string) guard.Verdict {
		turn := g.cards[e.NPC].NewTurn(guard.TurnOptions{PlayerLine: e.Said, Recent: e.Before})
		for _, call := range e.Tools {
			turn.RecordResult(call.Name, call.Arguments, call.Result)
		}
		return turn.Judge(text)
	}
	npc := g.npcs[e.NPC]
	scrub := speech.NewScrubber(&speech.Options{Names: append([]string{npc.Name}, npc.Aliases...), Tools: npc.Tools})
	var split speech.Splitter
	for i := range len(e.Text) {
		got := split.Push(scrub.Push(e.Text[i : i+1]))
		if i == len(e.Text)-1 {
			got = append(append(got, split.Push(scrub.Flush())...), split.Flush()...)
		}
		if len(got) > 0 {
			if v := judge(clause); len(v.Reasons) > 0 || v.Text != clause {
				return "", true
			}
			return clause, strings.HasPrefix(judge(got[0]).Text, clause)
		}
		if clause == "" {
			clause = split.Clause()
		}
	}
	return "", true
}
