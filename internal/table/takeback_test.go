package table_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestTakingBackForgetsWhatToolsTold retracts, rewords or forgets a line that a tool may have
// repeated in another player's interrupted turn, both before and after the interruption.
func TestTakingBackForgetsWhatToolsTold(t *testing.T) {
	take := map[string]func(r *room){
		"retract": func(r *room) { check(r.t, r.Retract(r.t.Context(), "m1")) },
		"reword":  func(r *room) { check(r.t, r.Reword(r.t.Context(), "m1", "Mira, never mind")) },
		"forget":  func(r *room) { check(r.t, r.Forget(r.t.Context(), "id:Ana")) },
	}
	for name, take := range take {
		for _, late := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := &pupil{}
					r := open(t, setting{model: func(req llm.Request) []step {
						l.model(req)
						if strings.Contains(prompt(req), "rules of") && len(results(req)) == 0 {
							return []step{calls("roll", `{"x":"for the Rumpelstilzchen"}`)}
						}
						return []step{{after: 2 * time.Second, text: "Aye."}}
					}})
					r.write("Ana", "m1", "Mira, I am Rumpelstilzchen")
					time.Sleep(5 * time.Second)
					r.write("Bob", "m2", "Mira, what are the rules of names?")
					time.Sleep(time.Second)
					if !late {
						take(r)
					}
					_, err := r.Mute(t.Context(), "Mira", true)
					check(t, err)
					synctest.Wait()
					if late {
						take(r)
					}
					_, err = r.Mute(t.Context(), "Mira", false)
					check(t, err)
					r.write("Bob", "m3", "Mira, well?")
					time.Sleep(5 * time.Second)
					if strings.Contains(l.asked(), "Rumpelstilzchen") {
						t.Errorf("the prompt is\n%s", l.asked())
					}
				})
			})
		}
	}
}

// TestWhatWasTakenBackIsNotDone retracts a line while its answer is audible: the answer stays,
// but a pending change is not made.
func TestWhatWasTakenBackIsNotDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{
			voice: sound{lasts: 2 * time.Second},
			model: func(req llm.Request) []step {
				if len(results(req)) == 0 {
					return []step{calls("write", `{"x":"Rumpelstilzchen"}`)}
				}
				return []step{{text: "It is written."}}
			},
		})
		r.write("Ana", "m1", "Mira, write down that I am Rumpelstilzchen")
		time.Sleep(time.Second)
		check(t, r.Retract(t.Context(), "m1"))
		time.Sleep(5 * time.Second)
		if got := r.ends(); got != "1 delivered" {
			t.Errorf("turns ended %q, want the answer that was heard to go on", got)
		}
		if *r.wrote != 0 {
			t.Errorf("written %d times, want nothing of what was taken back", *r.wrote)
		}
		finished := of[*table.ToolFinished](r.events)
		if len(finished) != 1 || finished[0].OK || !strings.Contains(finished[0].Error, "taken back") {
			t.Errorf("tool.finished = %+v, want one that says that the line was taken back", finished)
		}
	})
}

// TestRewordForNobodyIsNotMeasured rewords a line in progress so that it is for no NPC, or for
// a muted one: no answer was due.
func TestRewordForNobodyIsNotMeasured(t *testing.T) {
	for text, want := range map[string]table.Outcome{"Bob, hello": table.OutcomeNoTarget, "Bart, hello": table.OutcomeMuted} {
		t.Run(string(want), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, setting{model: (&pupil{after: time.Hour}).model})
				_, err := r.Mute(t.Context(), "Bart", true)
				check(t, err)
				r.write("Bob", "m0", "hello") // makes his name known
				r.write("Ana", "m1", "Mira, hello")
				time.Sleep(5 * time.Second)
				check(t, r.Reword(t.Context(), "m1", text))
				synctest.Wait()
				ends := of[*table.TurnEnded](r.events)
				e := ends[len(ends)-1]
				if e.Turn != 2 || e.Outcome != want || e.NPC == "Mira" {
					t.Fatalf("turn.ended = %+v, want the second as %s", e, want)
				}
				if l := e.Ledger; l.TargetMS != 0 || l.BeginMS != 0 || l.Budget != "met" {
					t.Errorf("ledger of %q = %+v, want no target", text, l)
				}
			})
		})
	}
}
