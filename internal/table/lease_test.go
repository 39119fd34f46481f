package table_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

func TestTierEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye.")})
		told := 0
		tells := func(want ...string) {
			t.Helper()
			synctest.Wait()
			all := of[*table.Tier](r.events)
			var got []string
			for _, e := range all[told:] {
				s := fmt.Sprintf("%s %s %s, up to %s", e.NPC, e.Change, e.Tier, e.Ceiling)
				if e.Change == table.TierRaised {
					s += fmt.Sprintf(", for %s or %d", time.Until(e.Until), e.Turns)
				}
				if e.Turn != 0 {
					t.Errorf("%s in turn %d, want it outside of turns", s, e.Turn)
				}
				got = append(got, s)
			}
			if told = len(all); !slices.Equal(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		do := func(_ string, err error) {
			t.Helper()
			check(t, err)
		}
		const bart = "Bartok the Barkeep "
		do(r.Raise(t.Context(), "Bart", mcp.BudgetDeep, time.Minute, 2))
		tells(bart + "raised deep, up to deep, for 1m0s or 2")
		r.hear("Bart, hi")
		tells()
		r.hear("Bart, hi")
		tells(bart + "expired deep, up to fast")
		do(r.Raise(t.Context(), "Bart", mcp.BudgetStandard, time.Minute, 0))
		tells(bart + "raised standard, up to standard, for 1m0s or 10")
		time.Sleep(59 * time.Second)
		do(r.Raise(t.Context(), "Bart", mcp.BudgetDeep, time.Minute, 0)) // replaces the other raise
		tells(bart + "raised deep, up to deep, for 1m0s or 10")
		time.Sleep(59 * time.Second)
		tells()
		time.Sleep(time.Second)
		tells(bart + "expired deep, up to fast")
		do(r.Lower(t.Context(), "Mira", mcp.BudgetFast))
		tells("Mira capped fast, up to fast")
		do(r.Lower(t.Context(), "Mira", mcp.BudgetFast))
		tells() // it is capped already
		do(r.Raise(t.Context(), "Mira", mcp.BudgetDeep, time.Minute, 0))
		tells("Mira raised deep, up to deep, for 1m0s or 10")
		do(r.Lower(t.Context(), "Mira", mcp.BudgetStandard))
		tells("Mira lowered deep, up to standard", "Mira capped standard, up to standard")
		time.Sleep(time.Hour)
		tells() // its raise has ended already
		do(r.Lower(t.Context(), "all", mcp.BudgetDeep))
		tells("Mira uncapped standard, up to standard")
		do(r.Raise(t.Context(), "Mira", mcp.BudgetDeep, time.Minute, 0))
		tells("Mira raised deep, up to deep, for 1m0s or 10")
		r.close()
		tells("Mira expired deep, up to standard") // with the session
	})
}
