package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// codes returns the codes of the notices, in order.
func (r *room) codes() string {
	var codes []string
	for _, n := range of[*table.Notice](r.events) {
		codes = append(codes, n.Code)
	}
	return strings.Join(codes, " ")
}

// TestWhatCannotBeKeptWaits makes the disk fail for some turns: the table continues and reports
// the failure once, NPCs remember those turns, and in the end the log has every line once and
// in order.
func TestWhatCannotBeKeptWaits(t *testing.T) {
	for _, silent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &pupil{}
			j := &journal{silent: silent}
			r := open(t, setting{model: l.model, journal: j, alone: true})
			var want []string
			say := func(line string, outcome table.Outcome) {
				t.Helper()
				e := r.hear(line)
				if e.Outcome != outcome || outcome == table.OutcomeFailed && e.Ledger.BreachStage != "commit" {
					t.Errorf("%q: %+v, want %s", line, e, outcome)
				}
				want = append(want, "Alice: "+line, "Mira: "+e.Text)
			}
			say("one", table.OutcomeDelivered)
			j.fail(errors.New("disk full"))
			for i := range 20 {
				say(fmt.Sprint("while it is full ", i), table.OutcomeFailed)
			}
			if !strings.Contains(l.asked(), "while it is full 18") {
				t.Errorf("the prompt lacks what waits:\n%s", l.asked())
			}
			if got := r.codes(); got != table.CodeWaits {
				t.Errorf("told %q, want once that lines wait", got)
			}
			j.fail(nil)
			time.Sleep(6 * time.Second)
			synctest.Wait()
			say("and again", table.OutcomeDelivered)
			if got := r.codes(); got != table.CodeWaits+" "+table.CodeKept {
				t.Errorf("told %q, want that lines wait and are kept", got)
			}
			n := of[*table.Notice](r.events)
			if !strings.Contains(n[0].Text, "disk full") || !strings.Contains(n[1].Text, "including 40 lines") {
				t.Errorf("told %q and %q", n[0].Text, n[1].Text)
			}
			r.kept(want...)
		})
	}
}

// TestASlowLogHoldsNobodyUp lets the log take longer than a turn waits.
func TestASlowLogHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), journal: &journal{first: 12 * time.Second}, alone: true})
		began := time.Now()
		r.hear("one")
		r.hear("two")
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("two turns took %s", took)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		r.kept("Alice: one", "Mira: Aye.", "Alice: two", "Mira: Aye.")
		if got := r.codes(); got != table.CodeWaits+" "+table.CodeKept {
			t.Errorf("told %q", got)
		}
	})
}

// TestClosingTriesALastTime closes the table while lines wait: the table stores them if the log
// accepts them now, and otherwise reports how many are lost.
func TestClosingTriesALastTime(t *testing.T) {
	for _, stays := range []error{nil, errors.New("disk full")} {
		synctest.Test(t, func(t *testing.T) {
			j := &journal{err: errors.New("disk full")}
			r := open(t, setting{model: says("Aye."), journal: j, alone: true})
			r.hear("one")
			r.hear("two")
			j.fail(stays)
			r.close()
			n := of[*table.Notice](r.events)
			last := n[len(n)-1]
			if stays == nil {
				r.kept("Alice: one", "Mira: Aye.", "Alice: two", "Mira: Aye.")
				if last.Code != table.CodeKept {
					t.Errorf("told %+v, want that all is kept", last)
				}
			} else if last.Code != table.CodeLost || !strings.Contains(last.Text, "4 lines are lost") || !strings.Contains(last.Text, "disk full") {
				t.Errorf("told %+v, want what is lost", last)
			}
		})
	}
}

// aside holds lines in memory.
type aside struct {
	mu   sync.Mutex
	kept []memory.Line
	full error
}

func (a *aside) Add(lines []memory.Line) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.full == nil {
		a.kept = append(a.kept, lines...)
	}
	return "unkept/1.jsonl", a.full
}

func (a *aside) Replace(lines []memory.Line) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = slices.Clone(lines)
	return nil
}

func (a *aside) texts() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []string
	for _, l := range a.kept {
		out = append(out, l.Speaker+": "+l.Text)
	}
	return strings.Join(out, "|")
}

// TestWhatIsSetAsideIsNotLost closes the table while lines wait, with and without a working
// aside.
func TestWhatIsSetAsideIsNotLost(t *testing.T) {
	for _, full := range []error{nil, errors.New("no room here either")} {
		synctest.Test(t, func(t *testing.T) {
			a := &aside{full: full}
			r := open(t, setting{model: says("Aye."), journal: &journal{err: errors.New("server away")}, alone: true, aside: a})
			r.hear("one")
			r.hear("two")
			r.close()
			n := of[*table.Notice](r.events)
			last := n[len(n)-1]
			want, code, words := "Alice: one|Mira: Aye.|Alice: two|Mira: Aye.", table.CodeSpilled, "4 lines are in unkept/1.jsonl"
			if full != nil {
				want, code, words = "", table.CodeLost, "no room here either"
			}
			if got := a.texts(); got != want {
				t.Errorf("set aside are %q, want %q", got, want)
			}
			if last.Code != code || !strings.Contains(last.Text, words) || !strings.Contains(last.Text, "server away") {
				t.Errorf("told %+v, want %s with %q", last, code, words)
			}
		})
	}
}

// TestWhatWaitsIsSetAsideAtOnce: while lines wait, are retracted and are stored, the aside
// always holds exactly the lines that a killed program would lose.
func TestWhatWaitsIsSetAsideAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := &aside{}, &journal{err: errors.New("server away")}
		r := open(t, setting{model: says("Aye."), journal: j, alone: true, aside: a})
		holds := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := a.texts(); got != want {
				t.Errorf("set aside are %q, want %q", got, want)
			}
		}
		r.write("Alice", "m1", "one")
		time.Sleep(time.Second)
		holds("Alice: one|Mira: Aye.")
		r.write("Alice", "m2", "two")
		time.Sleep(time.Second)
		holds("Alice: one|Mira: Aye.|Alice: two|Mira: Aye.")
		check(t, r.Retract(t.Context(), "m2"))
		holds("Alice: one|Mira: Aye.|Mira: Aye.")
		j.fail(nil)
		time.Sleep(10 * time.Second)
		holds("")
		r.kept("Alice: one", "Mira: Aye.", "Mira: Aye.")
	})
}

// TestASessionThatIsGone: if the log rejects lines permanently, they do not wait.
func TestASessionThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &journal{err: memory.ErrNotFound}
		r := open(t, setting{model: says("Aye."), journal: j, alone: true})
		r.hear("one")
		j.fail(nil)
		r.hear("two")
		r.kept("Alice: two", "Mira: Aye.")
		if got := r.codes(); got != table.CodeLost {
			t.Errorf("told %q", got)
		}
	})
}

// TestTooMuchWaits exceeds the limit of waiting lines.
func TestTooMuchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &journal{err: errors.New("disk full")}
		r := open(t, setting{model: says("Aye."), journal: j, alone: true})
		long := strings.Repeat("long ", 200_000)
		for range 35 {
			r.hear(long)
		}
		if got := r.codes(); got != table.CodeWaits+" "+table.CodeLost {
			t.Errorf("told %q, want once that lines wait and once that they are lost", got)
		}
		j.fail(nil)
		r.close()
		n := of[*table.Notice](r.events)
		if last := n[len(n)-1]; last.Code != table.CodeKept || !strings.Contains(last.Text, "there was no room") {
			t.Errorf("told %+v", last)
		}
	})
}

// TestEditsReachWhatWaits retracts, rewords and forgets lines that the log has not stored yet,
// and an NPC's line.
func TestEditsReachWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &journal{err: errors.New("disk full")}
		r := open(t, setting{model: says("Aye."), journal: j, alone: true})
		for i, who := range []string{"Ana", "Ana", "Bob", "Ana"} {
			r.write(who, fmt.Sprint("m", i), fmt.Sprint("Mira, line ", i))
			time.Sleep(time.Second)
		}
		check(t, r.Retract(t.Context(), "m0"))
		check(t, r.Reword(t.Context(), "m1", "better"))
		check(t, r.Forget(t.Context(), "id:Bob"))
		_, err := r.RetractAnswer(t.Context(), table.RetractionRequest{Leads: true})
		check(t, err)
		j.fail(nil)
		r.close()
		r.kept("Mira: Aye.", "Ana: better", "Mira: Aye.", "Mira: Aye.", "Ana: Mira, line 3")
	})
}
