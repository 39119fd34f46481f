package table_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestKeepAnswersNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: l.model, alone: true})
		var us []table.Utterance
		for i := range 600 {
			us = append(us, table.Utterance{Speaker: "Ana", Text: fmt.Sprint("line ", i), User: "id:Ana", Ref: fmt.Sprint(i)})
		}
		check(t, r.StoreUnanswered(t.Context(), us...))
		synctest.Wait()
		for i, line := range r.journal.kept() {
			if u := us[i]; line.Text != u.Text || line.User != u.User || line.Ref != u.Ref || line.Turn != int64(i+1) || line.Session != "s1" {
				t.Fatalf("line %d = %+v, want %+v", i, line, u)
			}
		}
		ends := of[*table.TurnEnded](r.events)
		for _, e := range ends {
			if e.Outcome != table.OutcomeCancelled || e.Ledger.BreachStage != "queue" {
				t.Fatalf("turn.ended = %+v, want it cancelled in the queue", e)
			}
		}
		if len(ends) != len(us) || len(r.journal.kept()) != len(us) || len(l.prompts) > 0 {
			t.Errorf("%d turns ended, %d lines kept, %d asked; want %d and none asked", len(ends), len(r.journal.kept()), len(l.prompts), len(us))
		}
		r.hear("what was said?")
		if !strings.Contains(l.asked(), "Ana (player): line 599") {
			t.Errorf("the prompt is\n%s", l.asked())
		}
	})
}

// TestKeepKeepsTheOrder stores late lines while others run and wait, as when a session stops.
func TestKeepKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: func(llm.Request) []step { return []step{{hang: true}} }, journal: &journal{takes: 100 * ms}})
		var want []string
		for i := range 33 {
			who := fmt.Sprint("Player ", i%11) // one player alone would be refused
			want = append(want, fmt.Sprint(who, ": Mira, line ", i))
			r.write(who, fmt.Sprint(i), fmt.Sprint("Mira, line ", i))
		}
		var late []table.Utterance
		for i := range 300 {
			want = append(want, fmt.Sprint("Ana: late ", i))
			late = append(late, table.Utterance{Speaker: "Ana", Text: fmt.Sprint("late ", i), User: "id:Ana"})
		}
		check(t, r.StoreUnanswered(t.Context(), late...))
		r.kept(want...)
		r.close()
		r.kept(want...)
		if n := len(of[*table.TurnEnded](r.events)); n != len(want) {
			t.Errorf("%d turns ended, want %d", n, len(want))
		}
	})
}

// TestClosingLosesNoLine closes a table while all lines wait.
func TestClosingLosesNoLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: func(llm.Request) []step { return []step{{hang: true}} }, journal: &journal{takes: 4 * time.Second}})
		var want []string
		for i := range 33 { // one running, and as many as may wait
			who, line := fmt.Sprint("Player ", i%11), fmt.Sprint("Mira, line ", i)
			want = append(want, who+": "+line)
			r.write(who, "", line)
		}
		r.close()
		r.kept(want...)
		if n := len(of[*table.TurnEnded](r.events)); n != len(want) {
			t.Errorf("%d turns ended, want %d", n, len(want))
		}
	})
}

// TestSessionGoesOn: a resumed session continues the turn numbers and restores the NPCs'
// conversations.
func TestSessionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: l.model, journal: &journal{lines: []memory.Line{
			{Turn: 1, Speaker: "Ana", Text: "Mira, I am a baker", To: "mira", Ref: "m1"}, {Turn: 1, Speaker: "Mira", NPC: "mira", Text: "So you bake."},
			{Turn: 3, Speaker: "Ana", Text: "let us sleep"},
			{Turn: 2, Speaker: "Bob", Text: "Bart, an ale", To: "bart"}, {Turn: 2, Speaker: "Bartok the Barkeep", NPC: "bart", Text: "Here."},
		}}})
		ended := r.hear("Mira, what am I?")
		if ended.Turn != 4 {
			t.Errorf("turn %d, want the session to go on with the fourth", ended.Turn)
		}
		for _, want := range []string{"Mira, I am a baker\nSo you bake.\n", "Ana (player): let us sleep", "Bob (player): Bart, an ale"} {
			if !strings.Contains(l.asked(), want) {
				t.Errorf("the prompt lacks %q:\n%s", want, l.asked())
			}
		}
		check(t, r.Retract(t.Context(), "m1"))
		r.hear("Mira, what am I?")
		if strings.Contains(l.asked(), "baker") {
			t.Errorf("the prompt is\n%s", l.asked())
		}
	})
}
