package guilds

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Guild is a guild: a campaign that is played, open while somebody needs it, and
// what is kept beside that. It is safe for concurrent use.
type Guild struct {
	guilds  *Guilds
	id      string
	dir     string
	records recordFile

	changing sync.Mutex // held while a session begins, the campaign changes, somebody is forgotten, or it is looked for what was cut off
	feedback sync.Mutex // held while the feedback is written

	mu       sync.Mutex    // guards the fields below, and is held while a campaign opens or closes
	open     *openCampaign // nil while none is
	session  *play.Session // that is running
	reserved bool          // a session is running or about to
	closing  bool
}

// ID is the guild's.
func (g *Guild) ID() string { return g.id }

// Tools describes the guild's tools, measured anew if measure is true.
func (g *Guild) Tools(ctx context.Context, measure bool) (all []mcphost.Status, err error) {
	err = g.withCampaign(ctx, func(game *play.Game) error {
		game.Registry.Ready(ctx, func(string) {})
		if measure {
			if err := game.Registry.Calibrate(ctx); err != nil {
				return err
			}
		}
		all = game.Registry.Host.Status()
		return nil
	})
	return all, err
}

// Servers describes the external servers, and why one is down.
func (g *Guild) Servers(ctx context.Context) (all []mcphost.ServerStatus, err error) {
	err = g.withCampaign(ctx, func(game *play.Game) error {
		game.Registry.Ready(ctx, func(string) {})
		all = game.Registry.Servers()
		return nil
	})
	return all, err
}

// HeldTools are those whose definition waits for somebody's approval.
func (g *Guild) HeldTools(ctx context.Context) (held []mcphost.Held, err error) {
	err = g.withCampaign(ctx, func(game *play.Game) (err error) {
		game.Registry.Ready(ctx, func(string) {})
		held, err = game.Registry.Host.Held(ctx)
		return err
	})
	return held, err
}

// maxRecalled is how many sessions are looked through for one in which anything
// was said.
const maxRecalled = 20

// RecallSession returns the latest session in which something was said, and its
// last lines, most at most. Without any the session has no id.
func (g *Guild) RecallSession(ctx context.Context, most int) (last memory.Session, said []memory.Line, err error) {
	err = g.withCampaign(ctx, func(game *play.Game) error {
		all, err := game.Store.Sessions(ctx, maxRecalled)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.Lines > 0 {
				last = s
				said, err = game.Store.Recent(ctx, s.ID, most)
				return err
			}
		}
		return nil
	})
	return last, said, err
}
