package cost_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// lateWithCascade returns a governor that expects STANDARD turns to be late, and the
// input of a turn that a fast model may open.
func lateWithCascade() (*cost.Governor, cost.Input) {
	in := all(mcp.BudgetStandard, 300*ms, cost.Steps()...)
	in.HasCascade = true
	return knowing(map[mcp.BudgetTier]time.Duration{mcp.BudgetFast: 300 * ms, mcp.BudgetStandard: 4 * time.Second}), in
}

func TestCascadeComesBeforeThePolicy(t *testing.T) {
	g, in := lateWithCascade()
	p := g.Plan(in)
	if !p.Cascade || p.Tier != mcp.BudgetStandard || p.Opener || p.Fallback || p.FillerAfter == 0 || len(p.Decisions) != 1 || p.Decisions[0].Step != cost.Cascade {
		t.Errorf("plan = %+v, want an opener of the fast model and a filler just in case", p)
	}
	in.HasCascade = false
	if p := g.Plan(in); p.Cascade || p.Tier != mcp.BudgetFast {
		t.Errorf("plan without a cascade = %+v, want the lower tier", p)
	}
	in.HasCascade, in.Tier = true, mcp.BudgetFast
	if p := g.Plan(in); p.Cascade {
		t.Errorf("plan = %+v, want nothing about a turn that is in time", p)
	}
}

// TestCascadeIsNotItsOwnEvidence: turns opened by a fast model do not show that the
// opener is unnecessary, because they are fast for that reason. One turn in ten runs
// without an opener to measure it.
func TestCascadeIsNotItsOwnEvidence(t *testing.T) {
	for _, row := range []struct {
		name   string
		strong time.Duration // the first token of the turns without an opener
		late   bool          // expected late in the end
	}{{"still_slow", 4 * time.Second, true}, {"fast_again", 300 * ms, false}} {
		t.Run(row.name, func(t *testing.T) {
			g, in := lateWithCascade()
			opened := 0
			for range 2 * cost.Window {
				p := g.Plan(in)
				s := turn(mcp.BudgetStandard, row.strong)
				if p.Cascade {
					opened++
					s = turn(mcp.BudgetStandard, 200*ms)
					s.Opened = true
				}
				g.Record(s)
			}
			if row.late && opened != 2*cost.Window*cost.Lowered/(cost.Lowered+1) {
				t.Errorf("%d of %d turns were opened, want nine in ten", opened, 2*cost.Window)
			}
			if p := g.Plan(in); p.Cascade != row.late {
				t.Errorf("plan = %+v, want Cascade = %v", p, row.late)
			}
		})
	}
}
