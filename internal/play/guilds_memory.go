package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Learning is what a campaign learns from its sessions.
type Learning struct {
	// Waiting is what the game master has not decided on, Learnt what was accepted, each
	// the oldest first.
	Waiting, Learnt []world.Entry
	// Off says that nothing is looked for.
	Off bool
}

// Learning returns what NPCs could learn of what was said, and what they have learnt. If
// afresh, what was said lately is gone through first.
func (m *Member) Learning(ctx context.Context, afresh bool) (l Learning, err error) {
	target := mcp.Target{Tool: "list_learnt", Source: "server", Permission: access.MemoryRead, ReadOnly: true}
	err = m.doGoverned(ctx, target, map[string]any{}, func(ctx context.Context, game *Game) error {
		if afresh {
			if _, err := game.Gather(ctx); err != nil {
				return err
			}
		}
		l.Waiting, l.Learnt, l.Off = game.Chronicle.List(false), game.Chronicle.List(true), game.Config.Memory.Learn == config.LearnOff
		return nil
	})
	return l, err
}

// Proposal is an entry by its number.
func (m *Member) Proposal(ctx context.Context, id int64) (e world.Entry, err error) {
	target := mcp.Target{Tool: "list_learnt", Source: "server", Permission: access.MemoryRead, ReadOnly: true}
	err = m.doGoverned(ctx, target, map[string]any{"id": id}, func(_ context.Context, game *Game) error {
		e, err = game.Chronicle.Entry(id)
		return err
	})
	return e, err
}

// DecideLearning accepts a proposal, in other words if some are given, or rejects it.
func (m *Member) DecideLearning(ctx context.Context, id int64, accept bool, text string) (e world.Entry, err error) {
	target := mcp.Target{Tool: "decide_learning", Source: "server", Permission: access.MemoryWrite}
	err = m.doGoverned(ctx, target, map[string]any{"id": id, "accept": accept, "text": text}, func(ctx context.Context, game *Game) error {
		e, err = game.Chronicle.Decide(ctx, id, accept, text)
		return err
	})
	return e, err
}

// DropLearnt takes back what was learnt.
func (m *Member) DropLearnt(ctx context.Context, id int64) (e world.Entry, err error) {
	target := mcp.Target{Tool: "drop_learnt", Source: "server", Permission: access.MemoryWrite}
	err = m.doGoverned(ctx, target, map[string]any{"id": id}, func(ctx context.Context, game *Game) error {
		e, err = game.Chronicle.Drop(ctx, id)
		return err
	})
	return e, err
}

// Pin has an NPC keep something in mind, by its id, or all who may know of it; without a text
// the last line, see [Game.Pin].
func (m *Member) Pin(ctx context.Context, npc, text string) (e world.Entry, err error) {
	target := mcp.Target{Tool: "pin_memory", Source: "server", Permission: access.MemoryWrite}
	err = m.doGoverned(ctx, target, map[string]any{"npc": npc, "text": text}, func(ctx context.Context, game *Game) error {
		session := ""
		if s := m.guild.runningSession(); s != nil {
			session = s.ID()
		}
		e, err = game.Pin(ctx, session, npc, text)
		return err
	})
	return e, err
}

// MentionsWait is [Guild.Mentions] for a DM, and 0 for others.
func (m *Member) MentionsWait() int {
	if !m.DM {
		return 0
	}
	return m.guild.Mentions()
}

// Mentions is how many places mention users who were forgotten, in lists that no DM has seen.
func (g *Guild) Mentions() int { return g.mentions.Wait() }

// TakeMentions returns where others mention a user who was forgotten, once, the oldest list first;
// waited is false if there is none.
func (m *Member) TakeMentions(ctx context.Context) (list Mentions, waited bool, err error) {
	target := mcp.Target{Tool: "list_mentions", Source: "server", Permission: access.MemoryRead, ReadOnly: true}
	err = m.doGoverned(ctx, target, map[string]any{}, func(context.Context, *Game) error {
		list, waited = m.guild.mentions.Take()
		return nil
	})
	return list, waited, err
}

// EraseLine deletes a line of the campaign that is played, by its number; see [Game.EraseLine].
func (m *Member) EraseLine(ctx context.Context, id int64) (l memory.Line, err error) {
	target := mcp.Target{Tool: "erase_line", Source: "server", Permission: access.MemoryWrite}
	err = m.doGoverned(ctx, target, map[string]any{"id": id}, func(ctx context.Context, game *Game) error {
		l, err = game.EraseLine(ctx, m.guild.runningSession(), id)
		return err
	})
	return l, err
}

// EraseNote deletes what a tool has noted, by its number; see [Game.EraseNote].
func (m *Member) EraseNote(ctx context.Context, id int64) (text string, err error) {
	target := mcp.Target{Tool: "erase_note", Source: "server", Permission: access.MemoryWrite}
	err = m.doGoverned(ctx, target, map[string]any{"id": id}, func(ctx context.Context, game *Game) error {
		text, err = game.EraseNote(ctx, id)
		return err
	})
	return text, err
}
