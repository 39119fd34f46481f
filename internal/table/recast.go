package table

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/agent"
)

// Recast replaces the cast of the table. The table owns the agents from then on. An NPC whose id is known
// keeps its history, lease, cap and directive, and stays muted if it was. An NPC that is not among the agents
// is cut and leaves, and lines that wait for it are addressed again without it. Turns in progress continue as
// they began. Speech recognition of players who have joined uses the previous names until they join again.
// Recast returns the changes. On an error, there are none.
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

// dismiss removes all NPCs from the table whose ids are not in stay, and returns their names.
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

// castChanged updates everything that depends on the cast.
func (t *Table) castChanged() {
	t.conversation.castChanged()
	if t.o.Floor.Waiting == 0 {
		t.floor.SetWaiting(maxWaitingLines(t.cast.agents))
	}
}

// maxWaitingLines is how many lines may wait for the floor: one for each NPC, and those of the DM.
func maxWaitingLines(agents []*agent.Agent) int { return len(agents) + maxLines }

// CastChange lists the names of the NPCs that joined the table, that changed, and that left.
type CastChange struct{ Joined, Changed, Left []string }

// String describes the change in a sentence.
func (c CastChange) String() string {
	var parts []string
	for _, p := range []struct {
		names     []string
		one, many string
	}{
		{c.Joined, "joins", "join"}, {c.Changed, "has changed", "have changed"}, {c.Left, "leaves", "leave"},
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
		return "nothing has changed"
	}
	return strings.Join(parts, "; ")
}
