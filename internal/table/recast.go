package table

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/agent"
)

// Recast has the table go on with another cast; the agents are its own from
// then on. An NPC whose id is known stays the same: with its history, its lease
// and cap, its directive, and muted if it is. One that is not among them is
// silenced and leaves, and what waits for it is for whom it would be for
// without it. A turn at work goes on as it began. Players who have joined are
// recognised with the names of before until they join again. It returns what has
// changed; on an error, nothing has.
func (t *Table) Recast(ctx context.Context, agents []*agent.Agent) (CastChange, error) {
	if len(agents) == 0 {
		return CastChange{}, errors.New("nobody would be left at the table")
	}
	ids := map[string]bool{}
	for _, a := range agents {
		if ids[a.NPC.ID] {
			return CastChange{}, fmt.Errorf("two NPCs have the id %q", a.NPC.ID)
		}
		ids[a.NPC.ID] = true
	}
	var c CastChange
	err := t.order(ctx, func() error {
		c.Changed, c.Joined = t.cast.admitAgents(agents)
		c.Left = t.dismiss(ids)
		t.castChanged()
		return nil
	})
	return c, err
}

// dismiss has all leave whose ids are not among those who stay.
func (t *Table) dismiss(stay map[string]bool) (left []string) {
	for i, a := range t.cast.agents {
		if a.Left || stay[a.NPC.ID] {
			continue
		}
		left = append(left, a.NPC.Name)
		t.leases.revokeLease(i)
		a.Left = true
		t.cutNPC(i, turnEnd{outcome: OutcomeCancelled})
	}
	return left
}

// castChanged has everything that depends on the cast know of it.
func (t *Table) castChanged() {
	t.conversation.castChanged()
	if t.o.Floor.Waiting == 0 {
		t.floor.SetWaiting(maxWaitingLines(t.cast.agents))
	}
}

// maxWaitingLines is how many lines may wait for the floor: one of each NPC, and
// the DM's.
func maxWaitingLines(agents []*agent.Agent) int { return len(agents) + maxLines }

// CastChange is what has changed about a cast: the names of those who are at the table
// from now on, of those who are not as they were, and of those who are there no more.
type CastChange struct{ Joined, Changed, Left []string }

// String is the change in a sentence.
func (c CastChange) String() string {
	var parts []string
	for _, p := range []struct {
		names     []string
		one, many string
	}{
		{c.Joined, "joins", "join"}, {c.Changed, "is not as before", "are not as before"}, {c.Left, "leaves", "leave"},
	} {
		switch n := len(p.names); n {
		case 0:
		case 1:
			parts = append(parts, p.names[0]+" "+p.one)
		default:
			parts = append(parts, strings.Join(p.names[:n-1], ", ")+" and "+p.names[n-1]+" "+p.many)
		}
	}
	if len(parts) == 0 {
		return "everyone is as before"
	}
	return strings.Join(parts, "; ")
}
