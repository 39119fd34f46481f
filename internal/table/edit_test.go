package table_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// pupil is a model that answers each line after a delay and records its prompts.
type pupil struct {
	after time.Duration

	mu      sync.Mutex // guards the fields below
	prompts []string
	begun   []begun
}

// begun is the first prompt of an answer.
type begun struct {
	at     time.Time
	prompt string
}

func (l *pupil) model(req llm.Request) []step {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prompts = append(l.prompts, prompt(req))
	if len(results(req)) == 0 {
		l.begun = append(l.begun, begun{time.Now(), prompt(req)})
	}
	return []step{{after: l.after, text: "Aye."}}
}

// asked returns the last prompt. Call it while the model is idle.
func (l *pupil) asked() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.prompts[len(l.prompts)-1]
}

// write hears a user's message.
func (r *room) write(user, ref, line string) {
	r.t.Helper()
	check(r.t, r.Hear(r.t.Context(), table.Utterance{Speaker: user, Text: line, User: "id:" + user, Ref: ref}))
}

// ends returns the outcomes of the ended turns, in the order they ended.
func (r *room) ends() string {
	synctest.Wait()
	var out []string
	for _, e := range of[*table.TurnEnded](r.events) {
		out = append(out, fmt.Sprintf("%d %s", e.Turn, e.Outcome))
	}
	return strings.Join(out, ", ")
}

// kept fails if the journal holds other lines.
func (r *room) kept(want ...string) {
	r.t.Helper()
	if got := r.journal.said(); !slices.Equal(got, want) {
		r.t.Errorf("journal = %q, want %q", got, want)
	}
}

func TestRetract(t *testing.T) {
	const secret = "Mira, my name is Rumpelstilzchen"
	for _, row := range []struct {
		name  string
		play  func(r *room)
		ends  string
		kept  []string
		asked int // number of model calls
	}{
		{"waiting", func(r *room) {
			r.write("Bob", "m0", "Mira, hello")
			r.write("Ana", "m1", secret)
			synctest.Wait()
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "2 cancelled, 1 delivered", []string{"Bob: Mira, hello", "Mira: Aye."}, 1},
		{"at work", func(r *room) {
			r.write("Ana", "m1", secret)
			time.Sleep(500 * ms)
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "1 cancelled", nil, 1},
		{"being kept", func(r *room) {
			r.journal.takes = 3 * time.Second
			r.write("Ana", "m1", secret)
			time.Sleep(2 * time.Second)
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "1 delivered", []string{"Mira: Aye."}, 1},
		{"answered", func(r *room) {
			r.write("Ana", "m1", secret)
			time.Sleep(2 * time.Second)
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "1 delivered", []string{"Mira: Aye."}, 1},
		{"said to another", func(r *room) {
			r.write("Ana", "m1", strings.Replace(secret, "Mira", "Bart", 1))
			time.Sleep(2 * time.Second)
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "1 delivered", []string{"Bartok the Barkeep: Aye."}, 1},
		{"for nobody", func(r *room) {
			r.write("Ana", "m1", "let us call Rumpelstilzchen")
			synctest.Wait()
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "1 no_target", nil, 0},
		{"kept unanswered", func(r *room) {
			check(r.t, r.StoreUnanswered(r.t.Context(), table.Utterance{Speaker: "Ana", Text: secret, Ref: "m1"}))
			check(r.t, r.Retract(r.t.Context(), "m1"))
		}, "1 cancelled", nil, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pupil{after: time.Second}
				r := open(t, setting{model: l.model})
				row.play(r)
				time.Sleep(5 * time.Second)
				if got := r.ends(); got != row.ends {
					t.Errorf("turns ended %q, want %q", got, row.ends)
				}
				r.kept(row.kept...)
				if len(l.prompts) != row.asked {
					t.Errorf("the model was asked %d times, want %d", len(l.prompts), row.asked)
				}
				for _, e := range of[*table.TurnEnded](r.events) {
					if e.Outcome == table.OutcomeCancelled && row.asked > 0 && e.Ledger.Budget != "met" {
						t.Errorf("ledger = %+v, want met: no answer was due", e.Ledger)
					}
				}
				for _, npc := range []string{"Mira", "Bart"} {
					r.write("Bob", "", npc+", what do you know?")
					time.Sleep(5 * time.Second)
					if strings.Contains(l.asked(), "Rumpelstilzchen") {
						t.Errorf("%s is still told:\n%s", npc, l.asked())
					}
				}
			})
		})
	}
}

// TestRetractKeepsTheAnswer: after a retraction the NPC still remembers its own answer.
func TestRetractKeepsTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: l.model})
		r.write("Ana", "m1", "Mira, a secret")
		synctest.Wait()
		check(t, r.Retract(t.Context(), "m1"))
		r.hear("Mira, what did you say?")
		if want := "\n…\nAye.\n"; !strings.Contains(l.asked(), want) || strings.Contains(l.asked(), "secret") {
			t.Errorf("the prompt is\n%s\nwant it to have\n%s", l.asked(), want)
		}
	})
}

func TestRetractOfWhatIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{after: 100 * ms}
		r := open(t, setting{model: l.model, voice: sound{lasts: 2 * time.Second}})
		r.write("Ana", "m1", "Mira, a secret")
		time.Sleep(time.Second)
		check(t, r.Retract(t.Context(), "m1"))
		time.Sleep(3 * time.Second)
		if got := r.ends(); got != "1 delivered" {
			t.Errorf("turns ended %q, want the answer that was heard to go on", got)
		}
		r.kept("Mira: Aye.")
		r.hear("Mira, well?")
		if strings.Contains(l.asked(), "secret") {
			t.Errorf("the prompt is\n%s", l.asked())
		}
	})
}

// TestNobodyReactsToWhatWasTakenBack retracts a line for two NPCs while the first one answers.
func TestNobodyReactsToWhatWasTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		model := func(req llm.Request) []step {
			l.model(req)
			return []step{{text: "Aye. And "}, {after: 2 * time.Second, text: "more."}}
		}
		r := open(t, setting{model: model})
		r.write("Ana", "m1", "Mira and Bart, a secret")
		time.Sleep(time.Second)
		check(t, r.Retract(t.Context(), "m1"))
		time.Sleep(10 * time.Second)
		if got := r.ends(); got != "1 delivered" || len(l.prompts) != 1 {
			t.Errorf("turns ended %q, the model was asked %d times; want Mira's answer alone", got, len(l.prompts))
		}
	})
}

func TestReword(t *testing.T) {
	for _, row := range []struct {
		name string
		play func(r *room)
		ends string
		kept []string
	}{
		{"waiting", func(r *room) {
			r.write("Bob", "m0", "Mira, hello")
			r.write("Ana", "m1", "Mira, an ail")
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
		}, "1 delivered, 2 delivered", []string{"Bob: Mira, hello", "Mira: Aye.", "Ana: Mira, an ale", "Mira: Aye."}},
		{"waiting, for another", func(r *room) {
			r.write("Bob", "m0", "Mira, hello")
			time.Sleep(500 * ms)
			r.write("Ana", "m1", "Mira, an ail")
			check(r.t, r.Reword(r.t.Context(), "m1", "Bart, an ale"))
		}, "1 delivered, 2 delivered", []string{"Bob: Mira, hello", "Mira: Aye.", "Ana: Bart, an ale", "Bartok the Barkeep: Aye."}},
		{"at work", func(r *room) {
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(500 * ms)
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
		}, "1 delivered", []string{"Ana: Mira, an ale", "Mira: Aye."}},
		{"at work, for another", func(r *room) {
			r.write("Ana", "m1", "Mira, an ail")
			r.write("Bob", "m2", "Mira, and me?")
			time.Sleep(500 * ms)
			check(r.t, r.Reword(r.t.Context(), "m1", "Bart, an ale"))
		}, "1 delivered, 2 delivered", []string{"Ana: Bart, an ale", "Bartok the Barkeep: Aye.", "Bob: Mira, and me?", "Mira: Aye."}},
		{"at work, for nobody", func(r *room) {
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(500 * ms)
			check(r.t, r.Reword(r.t.Context(), "m1", "Bob, an ale?"))
		}, "1 no_target", []string{"Ana: Bob, an ale?"}},
		{"for whom an other waits", func(r *room) {
			r.write("Bob", "m0", "Bart, hello")
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(500 * ms)
			check(r.t, r.Reword(r.t.Context(), "m1", "Bart, an ale"))
		}, "1 delivered, 2 delivered", []string{"Bob: Bart, hello", "Bartok the Barkeep: Aye.", "Ana: Bart, an ale", "Bartok the Barkeep: Aye."}},
		{"being kept", func(r *room) {
			r.journal.takes = 3 * time.Second
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(2 * time.Second)
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
		}, "1 delivered", []string{"Ana: Mira, an ale", "Mira: Aye."}},
		{"answered", func(r *room) {
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(2 * time.Second)
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
		}, "1 delivered", []string{"Ana: Mira, an ale", "Mira: Aye."}},
		{"to what it is", func(r *room) {
			r.write("Ana", "m1", "Mira, an ale")
			time.Sleep(500 * ms)
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
			time.Sleep(600 * ms)
			if n := len(of[*table.TurnStarted](r.events)); n != 1 {
				r.t.Errorf("the turn began %d times", n)
			}
		}, "1 delivered", []string{"Ana: Mira, an ale", "Mira: Aye."}},
		{"after it was taken back", func(r *room) {
			r.journal.takes = 3 * time.Second
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(2 * time.Second)
			go func() { check(r.t, r.Retract(r.t.Context(), "m1")) }()
			synctest.Wait()
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
		}, "1 delivered", []string{"Mira: Aye."}},
		{"to nothing", func(r *room) {
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(500 * ms)
			check(r.t, r.Reword(r.t.Context(), "m1", " "))
		}, "1 cancelled", nil},
		{"twice", func(r *room) {
			r.write("Ana", "m1", "Mira, an ail")
			time.Sleep(2 * time.Second)
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an eel"))
			check(r.t, r.Reword(r.t.Context(), "m1", "Mira, an ale"))
		}, "1 delivered", []string{"Ana: Mira, an ale", "Mira: Aye."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pupil{after: time.Second}
				r := open(t, setting{model: l.model})
				r.write("Bob", "m0", "mhm") // for no NPC; makes Bob known
				synctest.Wait()
				before, skip := len(r.journal.kept()), len(of[*table.TurnEnded](r.events))
				row.play(r)
				time.Sleep(8 * time.Second)
				synctest.Wait()
				var ends []string
				for _, e := range of[*table.TurnEnded](r.events)[skip:] {
					ends = append(ends, fmt.Sprintf("%d %s", e.Turn-1, e.Outcome))
				}
				slices.Sort(ends) // two NPCs may end at once
				if got := strings.Join(ends, ", "); got != row.ends {
					t.Errorf("turns ended %q, want %q", got, row.ends)
				}
				got := r.journal.said()[before:]
				slices.Sort(got)
				slices.Sort(row.kept)
				if !slices.Equal(got, row.kept) {
					t.Errorf("journal = %q, want %q", got, row.kept)
				}
				for _, npc := range []string{"Mira", "Bart"} {
					r.write("Bob", "", npc+", what do you know?")
					time.Sleep(5 * time.Second)
					for _, old := range []string{"an ail", "an eel"} {
						if strings.Contains(l.asked(), old) {
							t.Errorf("%s is still told %q:\n%s", npc, old, l.asked())
						}
					}
					if strings.Contains(strings.Join(row.kept, " "), "an ale") && !strings.Contains(l.asked(), "an ale") {
						t.Errorf("%s is not told of the new words:\n%s", npc, l.asked())
					}
				}
			})
		})
	}
}

// TestRewordOfWhatThenWaits rewords a line so that its running turn must wait for another NPC,
// and then closes the table.
func TestRewordOfWhatThenWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: func(llm.Request) []step { return []step{{hang: true}} }})
		r.write("Bob", "m0", "Bart, hello")
		r.write("Ana", "m1", "Mira, an ail")
		time.Sleep(time.Second)
		check(t, r.Reword(t.Context(), "m1", "Bart, an ale"))
		r.close()
		if got := r.ends(); got != "1 cancelled, 2 cancelled" {
			t.Errorf("turns ended %q, want each once", got)
		}
		r.kept("Bob: Bart, hello", "Ana: Bart, an ale")
	})
}

// TestRewordForgetsWhatToolsTold checks that the new turn does not get the tool results for the
// old words.
func TestRewordForgetsWhatToolsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: func(req llm.Request) []step {
			l.model(req)
			if len(results(req)) == 0 && strings.Contains(prompt(req), "old words") {
				return []step{calls("roll", `{"x":"for the old words"}`)}
			}
			return []step{{after: 5 * time.Second, text: "Aye."}}
		}})
		r.write("Ana", "m1", "Mira, the rules of old words")
		time.Sleep(time.Second)
		check(t, r.Reword(t.Context(), "m1", "Mira, the rules of new words"))
		time.Sleep(time.Minute)
		if strings.Contains(l.asked(), "old words") {
			t.Errorf("the prompt is\n%s", l.asked())
		}
	})
}

func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{after: 500 * ms}
		r := open(t, setting{model: l.model})
		r.write("Ana", "m1", "Mira, I hid the crown")
		time.Sleep(time.Second)
		r.write("Bob", "m2", "Mira, I found a shoe")
		r.write("Ana", "m3", "Bart, the crown is in the well")
		r.write("Ana", "m4", "Bart, in the well")
		time.Sleep(100 * ms)
		check(t, r.Forget(t.Context(), "id:Ana"))
		n, err := r.journal.Forget(t.Context(), "id:Ana")
		check(t, err)
		time.Sleep(2 * time.Second)
		if got, want := r.ends(), "1 delivered, 4 cancelled, 3 cancelled, 2 delivered"; n != 1 || got != want {
			t.Errorf("%d lines forgotten, turns ended %q; want one, and %q", n, got, want)
		}
		r.kept("Mira: Aye.", "Bob: Mira, I found a shoe", "Mira: Aye.")
		r.write("Bob", "", "Mira, what do you know?")
		time.Sleep(time.Second)
		if got := l.asked(); strings.Contains(got, "crown") || strings.Contains(got, "Ana") || !strings.Contains(got, "shoe") {
			t.Errorf("the prompt is\n%s", got)
		}
	})
}

// TestEditsOfNothing: an edit of an unknown message changes nothing.
func TestEditsOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: l.model})
		r.hear("Mira, hello")
		check(t, r.Retract(t.Context(), ""))
		check(t, r.Retract(t.Context(), "unknown"))
		check(t, r.Reword(t.Context(), "", "all else"))
		check(t, r.Forget(t.Context(), ""))
		r.kept("Alice: Mira, hello", "Mira: Aye.")
		r.hear("Mira, well?")
		if !strings.Contains(l.asked(), "Mira, hello\nAye.\n") {
			t.Errorf("the prompt is\n%s", l.asked())
		}
	})
}
