package table

import (
	"context"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxRecalled is how many lines are read of a session that goes on: more than
// can have been kept after a line of a later turn.
const maxRecalled = 256

// recall reads what was said in the session before, if it goes on: the NPCs
// remember it, and turns are counted on.
func (t *Table) recall(ctx context.Context) error {
	lines, err := t.o.Log.Recent(ctx, t.o.Session.ID, max(maxRecalled, t.o.RecentLines))
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("what was said before is not known to the NPCs: %w", err)
	}
	for _, l := range lines {
		t.turns = max(t.turns, l.Turn)
	}
	t.remind(lines)
	t.recent = append([]memory.Line{}, lines[max(len(lines)-t.o.RecentLines, 0):]...)
	return nil
}

// remind gives the NPCs back their conversations: what a player said to one, and
// its answer in the same turn.
func (t *Table) remind(lines []memory.Line) {
	said := map[int64]memory.Line{}
	for _, l := range lines {
		if l.NPC == "" {
			said[l.Turn] = l
			continue
		}
		if q, ok := said[l.Turn]; ok && q.To == l.NPC {
			for _, a := range t.agents {
				if a.NPC.ID == l.NPC {
					a.Remember(agent.Exchange{Source: agent.Source{User: q.User, Ref: q.Ref}, Speaker: q.Speaker, Utterance: q.Text, Answer: l.Text})
				}
			}
		}
	}
}
