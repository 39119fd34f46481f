package voicebench

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestTablesPlay plays a short plan in each of our tunings, whatever it takes.
func TestTablesPlay(t *testing.T) {
	for _, tuning := range []string{"typed", "spoken", "disk"} {
		t.Run(tuning, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			p := newPlan(latency{20 * time.Millisecond, 10 * time.Millisecond}, load{tables: 2, warm: 1, turns: 1, period: time.Second}, 1)
			p.Tuning = tuning
			r, err := play(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.check(p); err != nil {
				t.Error(err)
			}
			if len(r.Wire) != 2 {
				t.Errorf("%d values for the last sound of 2 turns", len(r.Wire))
			}
		})
	}
}

// TestLoopCostsLittle holds the voice loop to bounds that any machine keeps, so
// that what makes it slower is seen without a peer to compare it with.
func TestLoopCostsLittle(t *testing.T) {
	if racing {
		t.Skip("the race detector changes what is measured; run without -race, as make gate does")
	}
	const first, cleared = 1.5, 0.5 // ms, p50
	for _, c := range []contender{own(t, typed, "typed"), own(t, spoken, "spoken")} {
		t.Run(c.tuning, func(t *testing.T) {
			for try := 1; ; try++ {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				r, err := c.run(ctx, newPlan(instant, load{tables: 4, warm: 2, turns: 4, period: time.Second}, uint64(try)))
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				f := sum(c.name, []report{r})
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
