package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Learning describes the learning of a campaign from its sessions.
type Learning struct {
	// Waiting are the proposals that the game master has not decided on, and Learnt those that were accepted,
	// each the oldest first.
	Waiting, Learnt []world.Entry
	// Off says that learning is turned off.
	Off bool
}

// Learning returns the proposals and the entries learnt. If afresh is true, the last sessions are
// searched first.
func (m *Member) Learning(ctx context.Context, afresh bool) (l Learning, err error) {
	target := mcp.Target{Tool: "list_learnt", Source: "server", Permission: access.MemoryRead, ReadOnly: true}
	err = m.runGoverned(ctx, target, map[string]any{}, func(ctx context.Context, game *Game) error {
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

// Proposal returns an entry by its number.
func (m *Member) Proposal(ctx context.Context, id int64) (e world.Entry, err error) {
	target := mcp.Target{Tool: "list_learnt", Source: "server", Permission: access.MemoryRead, ReadOnly: true}
	err = m.runGoverned(ctx, target, map[string]any{"id": id}, func(_ context.Context, game *Game) error {
		e, err = game.Chronicle.Entry(id)
		return err
	})
	return e, err
}

// DecideLearning accepts or rejects a proposal. If text is not empty, it replaces the proposal's words.
func (m *Member) DecideLearning(ctx context.Context, id int64, accept bool, text string) (e world.Entry, err error) {
	target := mcp.Target{Tool: "decide_learning", Source: "server", Permission: access.MemoryWrite}
	err = m.runGoverned(ctx, target, map[string]any{"id": id, "accept": accept, "text": text}, func(ctx context.Context, game *Game) error {
		e, err = game.Chronicle.Decide(ctx, id, accept, text)
		return err
	})
	return e, err
}

// DropLearnt deletes something that was learnt.
func (m *Member) DropLearnt(ctx context.Context, id int64) (e world.Entry, err error) {
	target := mcp.Target{Tool: "drop_learnt", Source: "server", Permission: access.MemoryWrite}
	err = m.runGoverned(ctx, target, map[string]any{"id": id}, func(ctx context.Context, game *Game) error {
		e, err = game.Chronicle.Drop(ctx, id)
		return err
	})
	return e, err
}

// Pin makes an NPC, by its id, remember a text, or all who may know it if npc is empty. Without a text it
// pins the last line, see [Game.Pin].
func (m *Member) Pin(ctx context.Context, npc, text string) (e world.Entry, err error) {
	target := mcp.Target{Tool: "pin_memory", Source: "server", Permission: access.MemoryWrite}
	err = m.runGoverned(ctx, target, map[string]any{"npc": npc, "text": text}, func(ctx context.Context, game *Game) error {
		session := ""
		if s := m.guild.runningSession(); s != nil {
			session = s.ID()
		}
		e, err = game.Pin(ctx, session, npc, text)
		return err
	})
	return e, err
}

// MentionsWait returns [Guild.Mentions] for a DM, and 0 for others.
func (m *Member) MentionsWait() int {
	if !m.DM {
		return 0
	}
	return m.guild.Mentions()
}

// Mentions returns the number of places that mention forgotten users, in lists that no DM has seen.
func (g *Guild) Mentions() int { return g.mentions.CountWaiting() }

// PopMentions removes and returns the oldest list of places where others mention a forgotten user. waited is
// false if there is none.
func (m *Member) PopMentions(ctx context.Context) (list Mentions, waited bool, err error) {
	target := mcp.Target{Tool: "list_mentions", Source: "server", Permission: access.MemoryRead, ReadOnly: true}
	err = m.runGoverned(ctx, target, map[string]any{}, func(context.Context, *Game) error {
		list, waited = m.guild.mentions.Pop()
		return nil
	})
	return list, waited, err
}

// EraseLine deletes a line of the current campaign, by its number; see [Game.EraseLine].
func (m *Member) EraseLine(ctx context.Context, id int64) (l memory.Line, err error) {
	target := mcp.Target{Tool: "erase_line", Source: "server", Permission: access.MemoryWrite}
	err = m.runGoverned(ctx, target, map[string]any{"id": id}, func(ctx context.Context, game *Game) error {
		l, err = game.EraseLine(ctx, m.guild.runningSession(), id)
		return err
	})
	return l, err
}

// EraseNote deletes a note that a tool has stored, by its number; see [Game.EraseNote].
func (m *Member) EraseNote(ctx context.Context, id int64) (text string, err error) {
	target := mcp.Target{Tool: "erase_note", Source: "server", Permission: access.MemoryWrite}
	err = m.runGoverned(ctx, target, map[string]any{"id": id}, func(ctx context.Context, game *Game) error {
		text, err = game.EraseNote(ctx, id)
		return err
	})
	return text, err
}
