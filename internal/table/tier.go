package table

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Raise lifts an NPC to a tier for d or for so many of its turns, whichever ends
// first (ruling 7). Of either, 0 means what is configured. It returns a sentence
// that says what was done.
func (t *Table) Raise(ctx context.Context, npc string, to mcp.BudgetTier, d time.Duration, turns int) (string, error) {
	if to == mcp.BudgetFast {
		return "", fmt.Errorf("fast is the lowest tier; use lower to cap an NPC at it")
	}
	if d <= 0 {
		d = time.Duration(t.o.Latency.Lease)
	}
	if turns <= 0 {
		turns = t.o.Latency.LeaseTurns
	}
	var said string
	err := t.order(ctx, func(context.Context) error {
		who, err := t.find(npc)
		if err != nil {
			return err
		}
		for _, i := range who {
			t.raise(i, agent.Lease{Tier: to, Until: time.Now().Add(d), Turns: turns})
		}
		said = fmt.Sprintf("%s may go up to %s for %s or %s", t.named(who), to, d, counted(turns))
		return nil
	})
	return said, err
}

// counted is a number of turns in words.
func counted(turns int) string {
	if turns == 1 {
		return "one turn"
	}
	return fmt.Sprintf("%d turns", turns)
}

// Lower ends a raise and caps an NPC at a tier; at DEEP the cap is gone.
func (t *Table) Lower(ctx context.Context, npc string, to mcp.BudgetTier) (string, error) {
	var said string
	err := t.order(ctx, func(context.Context) error {
		who, err := t.find(npc)
		if err != nil {
			return err
		}
		for _, i := range who {
			t.lower(i, to)
		}
		said = fmt.Sprintf("%s stays at %s at most", t.named(who), to)
		if to == mcp.BudgetDeep {
			said = t.named(who) + " is capped no more"
		}
		return nil
	})
	return said, err
}

// leaseEnd is the end of an NPC's raise, in the agenda.
type leaseEnd int

// raise gives an NPC a lease, and tells so.
func (t *Table) raise(npc int, l agent.Lease) {
	t.lapse(npc)
	t.agents[npc].Raise(l)
	t.leases[npc] = l
	t.agenda.set(leaseEnd(npc), time.Until(l.Until), func() { t.lapse(npc) })
	t.tellTier(npc, Tier{Change: TierRaised, Tier: l.Tier.String(), Until: l.Until, Turns: l.Turns})
}

// lower ends an NPC's lease and caps it, and tells what of that is new.
func (t *Table) lower(npc int, to mcp.BudgetTier) {
	t.lapse(npc)
	was := t.agents[npc].Cap()
	t.agents[npc].Lower(to)
	t.unlease(npc, TierLowered)
	switch {
	case to == was:
	case to == mcp.BudgetDeep:
		t.tellTier(npc, Tier{Change: TierUncapped, Tier: was.String()})
	default:
		t.tellTier(npc, Tier{Change: TierCapped, Tier: to.String()})
	}
}

// lapse tells of a lease that has run out.
func (t *Table) lapse(npc int) {
	if t.agents[npc].Lease() == nil {
		t.unlease(npc, TierExpired)
	}
}

// revoke ends an NPC's lease, since the NPC or the table goes.
func (t *Table) revoke(npc int) {
	t.agents[npc].EndLease()
	t.unlease(npc, TierExpired)
}

// revokeAll ends all leases.
func (t *Table) revokeAll() {
	for _, npc := range slices.Sorted(maps.Keys(t.leases)) {
		t.revoke(npc)
	}
}

// unlease tells of the end of a lease, once.
func (t *Table) unlease(npc int, how TierChange) {
	l, ok := t.leases[npc]
	if !ok {
		return
	}
	delete(t.leases, npc)
	t.agenda.stop(leaseEnd(npc))
	t.tellTier(npc, Tier{Change: how, Tier: l.Tier.String()})
}

// tellTier emits what has changed about an NPC's tier.
func (t *Table) tellTier(npc int, e Tier) {
	e.NPC, e.Ceiling = t.agents[npc].NPC.Name, t.agents[npc].Ceiling().String()
	t.emit(0, KindTier, &e)
}
