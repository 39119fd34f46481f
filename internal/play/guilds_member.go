package play

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Member is a person in a guild. A member's actions are checked against the policy with the rights of a DM or
// a player, counted, and recorded in the audit log.
type Member struct {
	guild *Guild
	// ID is the user's id, and DM says whether the user has the rights of a DM.
	ID string
	DM bool
}

// Member returns a user of the guild.
func (g *Guild) Member(id string, dm bool) *Member { return &Member{g, id, dm} }

// Profiles of members.
const (
	dmProfile     = "dm"
	playerProfile = "player.limited"
)

// Ref returns the member's name in stored data.
func (m *Member) Ref() string { return UserRef(m.guild.guilds.front, m.ID) }

// asSubject returns a context in which calls are made as the member.
func (m *Member) asSubject(ctx context.Context, game *Game) (context.Context, error) {
	name := playerProfile
	if m.DM {
		name = dmProfile
	}
	profile, ok := game.Registry.Governance.Policy.Profile(name)
	if !ok {
		return nil, fmt.Errorf("there is no profile %q", name)
	}
	front := m.guild.guilds.front
	return access.WithSubject(ctx, &access.Subject{Name: m.Ref(), Profile: profile, Transport: front, Crowd: front}), nil
}

// withCampaign calls do as the member, with the guild's campaign open.
func (m *Member) withCampaign(ctx context.Context, do func(context.Context, *Game) error) error {
	return m.guild.withCampaign(ctx, func(game *Game) error {
		ctx, err := m.asSubject(ctx, game)
		if err != nil {
			return err
		}
		return do(ctx, game)
	})
}

// runGoverned runs an action that is not a tool under the rules of tool calls: the policy may refuse it, it is
// counted, and it is recorded in the audit log.
func (m *Member) runGoverned(ctx context.Context, t mcp.Target, args map[string]any, do func(context.Context, *Game) error) error {
	return m.withCampaign(ctx, func(ctx context.Context, game *Game) error {
		return game.Registry.Governance.Gate.Do(ctx, t, args, func(ctx context.Context) error { return do(ctx, game) })
	})
}

// CallTool runs a tool and returns its result, which is JSON for every built-in tool.
func (m *Member) CallTool(ctx context.Context, tool, args string) (text string, err error) {
	err = m.withCampaign(ctx, func(ctx context.Context, game *Game) error {
		// Reading the rule book for the first time would count as the call's own time.
		if err := game.Registry.Rules.Warm(); err != nil {
			return err
		}
		res, err := game.Registry.Host.ExecuteTool(ctx, tool, args)
		switch {
		case err != nil:
			return err
		case res.IsError:
			return errors.New(res.Text)
		}
		text = res.Text
		return nil
	})
	return text, err
}

// ApproveTool approves the definition that an external server offers of a tool, see [mcphost.Host.Approve]
// also for name.
func (m *Member) ApproveTool(ctx context.Context, name string) error {
	target := mcp.Target{Tool: "approve_tool", Source: "server", Permission: access.SessionControl}
	return m.runGoverned(ctx, target, map[string]any{"name": name}, func(ctx context.Context, game *Game) error {
		game.Registry.Ready(ctx, func(string) {})
		return game.Registry.Host.Approve(ctx, name)
	})
}

// ImportCampaign imports a campaign file into the world of the campaign that is played, and returns the
// number of its entities. Problems in the file are returned with their lines.
func (m *Member) ImportCampaign(ctx context.Context, name string, data []byte) (n int, err error) {
	target := mcp.Target{Tool: "entity_import", Source: "server", Permission: access.WorldWrite}
	err = m.runGoverned(ctx, target, fileArguments(name, data), func(ctx context.Context, game *Game) error {
		imported, err := m.guild.guilds.parseCampaign(ctx, name, data)
		if err != nil {
			return err
		}
		if err := imported.Apply(ctx, game.Store); err != nil {
			return err
		}
		n = len(imported.Entities)
		return game.World.Renew(ctx)
	})
	return n, err
}

// fileArguments returns the arguments of a call that came with a file. They identify the file, so that an
// approval for one file does not apply to another.
func fileArguments(name string, data []byte) map[string]any {
	return map[string]any{"file": name, "sha256": fmt.Sprintf("%x", sha256.Sum256(data))}
}
