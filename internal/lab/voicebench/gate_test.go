package voicebench

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// calm relaxes p for a busy machine, because only the measured part has to be
// fast.
func calm(p plan) plan {
	p.EndpointMS = 600
	return p
}

// begun bounds the restarts of runs in which the machine starved the player,
// because such a run says nothing about the loop.
const begun = 10

// fluent repeats run, a few times at most, until the players could speak
// fluently.
func fluent(t *testing.T, run func() (report, error)) report {
	t.Helper()
	for try := 1; ; try++ {
		r, err := run()
		switch {
		case err == nil:
			return r
		case try == begun || !strings.Contains(err.Error(), errStarved.Error()): // a process only returns the message
			t.Fatal(err)
		}
		t.Logf("try %d: %v", try, err)
	}
}

// TestTablesPlay plays a short plan in each tuning, without time bounds.
func TestTablesPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, tuning := range []string{"typed", "spoken", "disk"} {
		t.Run(tuning, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
			p := calm(newPlan(latency{20 * time.Millisecond, 10 * time.Millisecond}, load{tables: 2, warm: 1, turns: 1, period: time.Second}, 1))
			p.Tuning = tuning
			r := fluent(t, func() (report, error) { return play(t.Context(), p) })
			if err := r.check(p); err != nil {
				t.Error(err)
			}
			if len(r.Wire) != 2 {
				t.Errorf("%d values for the last sound of 2 turns", len(r.Wire))
			}
		})
	}
}

// TestLoopCostsLittle checks bounds of the voice loop that any machine meets,
// so that a slowdown shows without a peer.
func TestLoopCostsLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; run without -race, as make gate does")
	}
	const first, cleared = 1.5, 0.5 // ms, p50
	for _, c := range []contender{own(t, typed, "typed"), own(t, spoken, "spoken")} {
		t.Run(c.tuning, func(t *testing.T) {
			for try := 1; ; try++ {
				p := calm(newPlan(instant, load{tables: 4, warm: 2, turns: 4, period: 1500 * time.Millisecond}, uint64(try)))
				r := fluent(t, func() (report, error) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					return c.run(ctx, p)
				})
				f := sum(c.name, []report{r})
				t.Logf("try %d: final to first frame %.2f ms, interruption to emptied output %.3f ms (p50)", try, f.first.p50, f.cleared.p50)
				if f.first.p50 <= first && f.cleared.p50 <= cleared {
					return
				}
				if try == everyRun.tries {
					t.Errorf("final to first frame %.2f ms, interruption to emptied output %.3f ms (p50), want at most %v and %v", f.first.p50, f.cleared.p50, first, cleared)
					return
				}
			}
		})
	}
}
