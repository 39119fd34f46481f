package table

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/plural"
)

// Raise raises an NPC's ceiling to a tier, for d or for a number of its turns, whichever ends first. For
// either, 0 means the configured value. It returns a sentence that describes the change.
func (t *Table) Raise(ctx context.Context, npc string, to mcp.BudgetTier, d time.Duration, turns int) (string, error) {
	if to == mcp.BudgetFast {
		return "", fmt.Errorf("fast is already the lowest tier; use lower to keep an NPC there")
	}
	if d <= 0 {
		d = time.Duration(t.o.Latency.Lease)
	}
	if turns <= 0 {
		turns = t.o.Latency.LeaseTurns
	}
	var said string
	err := t.orderNPCs(ctx, npc, func(who []int) error {
		said = t.leases.raiseNPCs(who, agent.Lease{Tier: to, Until: time.Now().Add(d), Turns: turns}, d)
		return nil
	})
	return said, err
}

// raiseNPCs gives NPCs a lease of length d, and returns a sentence that says so.
func (ls *leases) raiseNPCs(who []int, l agent.Lease, d time.Duration) string {
	for _, i := range who {
		ls.raiseNPC(i, l)
	}
	return fmt.Sprintf("%s may go up to %s for %s or %s", ls.cast.namesOf(who), l.Tier, d, plural.Count(l.Turns, "turn", "turns"))
}

// Lower ends a raise and caps an NPC at a tier. The tier DEEP removes the cap.
func (t *Table) Lower(ctx context.Context, npc string, to mcp.BudgetTier) (string, error) {
	var said string
	err := t.orderNPCs(ctx, npc, func(who []int) error {
		said = t.leases.lowerNPCs(who, to)
		return nil
	})
	return said, err
}

// lowerNPCs caps NPCs at a tier, and returns a sentence that says so.
func (ls *leases) lowerNPCs(who []int, to mcp.BudgetTier) string {
	for _, i := range who {
		ls.lowerNPC(i, to)
	}
	if to == mcp.BudgetDeep {
		return ls.cast.namesOf(who) + " no longer has a limit"
	}
	return fmt.Sprintf("%s will be %s at most", ls.cast.namesOf(who), to)
}

// leases holds the raises that have not ended.
type leases struct {
	cast    *cast
	agenda  *agenda
	effects *effects
	running map[int]agent.Lease // by NPC
}

// raiseNPC gives an NPC a lease, and emits [Tier].
func (ls *leases) raiseNPC(npc int, l agent.Lease) {
	ls.expireLease(npc)
	ls.cast.agents[npc].Raise(l)
	ls.running[npc] = l
	ls.agenda.put(leaseExpired{npc}, time.Until(l.Until), leaseExpired{npc})
	ls.emitChange(npc, Tier{Change: TierRaised, Tier: l.Tier.String(), Until: l.Until, Turns: l.Turns})
}

// lowerNPC ends an NPC's lease and caps the NPC, and emits [Tier] for each change.
func (ls *leases) lowerNPC(npc int, to mcp.BudgetTier) {
	ls.expireLease(npc)
	was := ls.cast.agents[npc].Cap()
	ls.cast.agents[npc].Lower(to)
	ls.endLease(npc, TierLowered)
	switch {
	case to == was:
	case to == mcp.BudgetDeep:
		ls.emitChange(npc, Tier{Change: TierUncapped, Tier: was.String()})
	default:
		ls.emitChange(npc, Tier{Change: TierCapped, Tier: to.String()})
	}
}

// expireLease emits [Tier] if an NPC's lease has expired.
func (ls *leases) expireLease(npc int) {
	if ls.cast.agents[npc].Lease() == nil {
		ls.endLease(npc, TierExpired)
	}
}

// revokeLease ends an NPC's lease because the NPC leaves or the table closes.
func (ls *leases) revokeLease(npc int) {
	ls.cast.agents[npc].EndLease()
	ls.endLease(npc, TierExpired)
}

// revokeAll ends all leases.
func (ls *leases) revokeAll() {
	for _, npc := range slices.Sorted(maps.Keys(ls.running)) {
		ls.revokeLease(npc)
	}
}

// endLease emits [Tier] for the end of a lease, once.
func (ls *leases) endLease(npc int, how TierChange) {
	l, ok := ls.running[npc]
	if !ok {
		return
	}
	delete(ls.running, npc)
	ls.agenda.remove(leaseExpired{npc})
	ls.emitChange(npc, Tier{Change: how, Tier: l.Tier.String()})
}

// emitChange emits a change of an NPC's tier.
func (ls *leases) emitChange(npc int, e Tier) {
	a := ls.cast.agents[npc]
	e.NPC, e.Ceiling = a.NPC.Name, a.Ceiling().String()
	ls.effects.emit(0, KindTier, &e)
}
