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
// recognised with the names of before until they join again. It returns a
// sentence that says what has changed; on an error, nothing has.
func (t *Table) Recast(ctx context.Context, agents []*agent.Agent) (string, error) {
	if len(agents) == 0 {
		return "", errors.New("nobody would be left at the table")
	}
	ids := map[string]bool{}
	for _, a := range agents {
		if ids[a.NPC.ID] {
			return "", fmt.Errorf("two NPCs have the id %q", a.NPC.ID)
		}
		ids[a.NPC.ID] = true
	}
	var said string
	err := t.order(ctx, func() error {
		changed, joined := t.cast.admitAgents(agents)
		left := t.dismiss(ids)
		t.castChanged()
		said = describeRecast(changed, joined, left)
		return nil
	})
	return said, err
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
		t.answers.cutNPC(i, turnEnd{outcome: OutcomeCancelled})
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

// describeRecast says what has changed about a cast.
func describeRecast(changed, joined, left []string) string {
	var parts []string
	for _, p := range []struct {
		names     []string
		one, many string
	}{
		{joined, "joins", "join"}, {changed, "is not as before", "are not as before"}, {left, "leaves", "leave"},
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
