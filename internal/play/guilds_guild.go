package play

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Guild is a guild: a campaign that is played, open while somebody needs it, and
// what is kept beside that. It is safe for concurrent use.
type Guild struct {
	guilds  *Guilds
	id      string
	dir     string
	records recordFile
	log     *slog.Logger

	pool *pool

	changing sync.Mutex // held while a session begins, a campaign changes, somebody is forgotten, or it is looked for what was cut off
	feedback sync.Mutex // held while the feedback is written
	mentions MentionLists

	mu       sync.Mutex // guards the fields below
	session  *Session   // that is running
	reserved bool       // a session is running or about to
}

// newGuild returns a guild that has its directory below that of all guilds.
func newGuild(gs *Guilds, id, dir string) *Guild {
	g := &Guild{guilds: gs, id: id, dir: dir, records: recordFile{dir: dir}, log: gs.log.With("guild", id)}
	g.pool = &pool{
		config: g.currentConfig, cast: func() []config.NPC { return gs.latestConfig().NPCs },
		openGame: func(ctx context.Context, cfg *config.Config) (*Game, error) { return gs.openGame(ctx, id, cfg) },
		log:      g.log, work: &gs.work,
	}
	return g
}

// ID is the guild's.
func (g *Guild) ID() string { return g.id }

// withCampaign does something with the guild's campaign open.
func (g *Guild) withCampaign(ctx context.Context, do func(*Game) error) error {
	l, err := g.pool.acquire(ctx)
	if err != nil {
		return err
	}
	err = do(l.Game)
	return errors.Join(err, l.giveBack())
}

// acquireSoon is acquire for those who do not wait: when ctx ends, the campaign
// goes on being opened without them.
func (g *Guild) acquireSoon(ctx context.Context) (lease, error) {
	type acquired struct {
		lease
		err error
	}
	in := make(chan acquired)
	g.guilds.work.Go(func() {
		var a acquired
		a.lease, a.err = g.pool.acquire(g.guilds.life)
		select {
		case in <- a:
			return
		case <-ctx.Done():
		}
		if a.err != nil {
			return // it is logged
		}
		if err := a.giveBack(); err != nil {
			g.log.Error("closing a guild's database", "reason", err)
		}
	})
	select {
	case a := <-in:
		return a.lease, a.err
	case <-ctx.Done():
		return lease{}, ctx.Err()
	}
}

// errUnavailable keeps paths of this machine from those who give commands.
var errUnavailable = errors.New("what is kept of this server could not be opened; whoever runs the bot finds the reason in its log")

// logTrouble logs an error that only the operator can do something about, and
// returns what is told of it.
func logTrouble(log *slog.Logger, doing string, err error) error {
	log.Error(doing, "reason", err)
	return errUnavailable
}

// currentConfig is that of the campaign that is played.
func (g *Guild) currentConfig() (*config.Config, error) {
	r, err := g.records.readRecord()
	if err != nil {
		return nil, err
	}
	c, known := r.findCampaign(r.Campaign)
	if !known {
		return nil, fmt.Errorf("%s names no campaign %q", filepath.Join(g.dir, recordName), r.Campaign)
	}
	return g.configOf(c), nil
}

// longestSchema is how long the name of a schema may be, in bytes: a server cuts off the
// rest, by which campaigns of long names would become one.
const longestSchema = 63

// schemaOf is where a server of PostgreSQL keeps a campaign of a guild.
func schemaOf(guild, campaign string) string {
	name := strings.TrimSuffix("guild_"+guild+"_"+campaign, "_")
	if len(name) <= longestSchema {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := "_" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(name[:longestSchema-len(end)], "") + end
}

// configOf is the common configuration with a place of a campaign's own for what
// is kept. A campaign that was loaded brings its name, its system, its world and
// its scene; the cast is the configured one.
func (g *Guild) configOf(c keptCampaign) *config.Config {
	own := *g.guilds.latestConfig()
	own.DataDir = g.dir
	if c.ID != "" {
		own.DataDir = g.campaignDir(c.ID)
		own.Campaign = config.Campaign{Name: c.Name, System: c.System, World: filepath.Join(own.DataDir, campaignFile)}
	}
	own.Memory.Path = filepath.Join(own.DataDir, "glyphoxa.db")
	own.Memory.Schema = schemaOf(g.id, c.ID)
	return &own
}

// Cast returns the NPCs of the campaign that is played. They are not to be changed.
func (g *Guild) Cast(ctx context.Context) (all []config.NPC, err error) {
	err = g.withCampaign(ctx, func(game *Game) error {
		all = game.Cast()
		return nil
	})
	return all, err
}

// Tools describes the guild's tools, measured anew if measure is true.
func (g *Guild) Tools(ctx context.Context, measure bool) (all []mcphost.Status, err error) {
	err = g.withCampaign(ctx, func(game *Game) error {
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
	err = g.withCampaign(ctx, func(game *Game) error {
		game.Registry.Ready(ctx, func(string) {})
		all = game.Registry.Servers()
		return nil
	})
	return all, err
}

// HeldTools are those whose definition waits for somebody's approval.
func (g *Guild) HeldTools(ctx context.Context) (held []mcphost.Held, err error) {
	err = g.withCampaign(ctx, func(game *Game) (err error) {
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
// last lines, most at most: to players those alone that were said openly. Without any the
// session has no id.
func (g *Guild) RecallSession(ctx context.Context, dm bool, most int) (last memory.Session, said []memory.Line, err error) {
	err = g.withCampaign(ctx, func(game *Game) error {
		all, err := game.Store.Sessions(ctx, maxRecalled)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.Lines > 0 {
				last = s
				viewer := memory.Anyone
				if dm {
					viewer = ""
				}
				said, err = game.Store.RecentFor(ctx, s.ID, viewer, most)
				return err
			}
		}
		return nil
	})
	return last, said, err
}
