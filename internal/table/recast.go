package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
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
	err := t.order(ctx, func(run context.Context) error {
		changed, joined := t.admitCast(agents)
		left := t.dismiss(run, ids)
		t.seatCast()
		said = recasting(changed, joined, left)
		return nil
	})
	return said, err
}

// admitCast takes in who is at the table from now on, and returns the names of
// those who are not as they were, and of those who were not there.
func (t *Table) admitCast(agents []*agent.Agent) (changed, joined []string) {
	for _, a := range agents {
		i := slices.IndexFunc(t.agents, func(b *agent.Agent) bool { return b.NPC.ID == a.NPC.ID })
		switch {
		case i < 0:
			t.agents = append(t.agents, a)
			joined = append(joined, a.NPC.Name)
		case t.agents[i].Left:
			t.agents[i].Become(a)
			t.agents[i].Left = false
			joined = append(joined, a.NPC.Name)
		case t.agents[i].Become(a):
			changed = append(changed, a.NPC.Name)
		}
	}
	return changed, joined
}

// dismiss has all leave whose ids are not among those who stay.
func (t *Table) dismiss(ctx context.Context, stay map[string]bool) (left []string) {
	for i, a := range t.agents {
		if a.Left || stay[a.NPC.ID] {
			continue
		}
		left = append(left, a.NPC.Name)
		t.revoke(i)
		a.Left = true
		t.hush(ctx, i, turnEnd{outcome: OutcomeCancelled})
	}
	return left
}

// seatCast has everything that depends on the cast know of it.
func (t *Table) seatCast() {
	t.hearing.agents = t.agents
	t.hearing.changed()
	if t.o.Floor.Waiting == 0 {
		t.floor.SetWaiting(maxWaitingLines(t.agents))
	}
}

// maxWaitingLines is how many lines may wait for the floor: one of each NPC, and
// the DM's.
func maxWaitingLines(agents []*agent.Agent) int { return len(agents) + maxLines }

// expected is what is known of the players' speech: that the names of the NPCs
// come up in it.
func (t *Table) expected() stt.Options {
	o := t.o.Expect
	o.Keyterms = nil
	for _, npc := range castOf(t.agents, present(t.agents)) {
		o.Keyterms = append(append(o.Keyterms, npc.Name), npc.Aliases...)
	}
	for _, term := range t.o.Expect.Keyterms {
		if !slices.Contains(o.Keyterms, term) {
			o.Keyterms = append(o.Keyterms, term)
		}
	}
	return o
}

// recasting says what has changed about a cast.
func recasting(changed, joined, left []string) string {
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
