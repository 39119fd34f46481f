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

// Guild is a guild: the campaign that it plays, which is open while it has leases, and the guild's other
// data. It is safe for concurrent use.
type Guild struct {
	guilds  *Guilds
	id      string
	dir     string
	records recordFile
	log     *slog.Logger

	pool *pool

	changing sync.Mutex // held while a session begins, a campaign changes, a user is forgotten, or a cut-off session is looked for
	feedback sync.Mutex // held while the feedback is written
	mentions MentionLists

	mu       sync.Mutex // guards the fields below
	session  *Session   // the running session; may be nil
	reserved bool       // a session is running or about to begin
}

// newGuild returns a guild with the directory dir.
func newGuild(gs *Guilds, id, dir string) *Guild {
	g := &Guild{guilds: gs, id: id, dir: dir, records: recordFile{dir: dir}, log: gs.log.With("guild", id)}
	g.pool = &pool{
		config: g.currentConfig, cast: func() []config.NPC { return gs.latestConfig().NPCs },
		openGame: func(ctx context.Context, cfg *config.Config) (*Game, error) { return gs.openGame(ctx, id, cfg) },
		log:      g.log, work: &gs.work,
	}
	return g
}

// ID returns the guild's id.
func (g *Guild) ID() string { return g.id }

// withCampaign calls do with the guild's campaign, which it opens if necessary.
func (g *Guild) withCampaign(ctx context.Context, do func(*Game) error) error {
	l, err := g.pool.acquire(ctx)
	if err != nil {
		return err
	}
	err = do(l.Game)
	return errors.Join(err, l.release())
}

// acquireInBackground is acquire for callers that cannot wait: when ctx ends, the campaign is still opened in the
// background.
func (g *Guild) acquireInBackground(ctx context.Context) (lease, error) {
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
			return // the error is logged
		}
		if err := a.release(); err != nil {
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

// errUnavailable hides paths of this machine from the users of commands.
var errUnavailable = errors.New("the bot could not open what it has saved for this server; the reason is in the bot's log")

// logTrouble logs an error that only the operator can fix, and returns the error that users see.
func logTrouble(log *slog.Logger, doing string, err error) error {
	log.Error(doing, "reason", err)
	return errUnavailable
}

// currentConfig returns the configuration of the campaign that is played.
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

// longestSchema is the greatest length of a schema name, in bytes. PostgreSQL cuts off the rest, so that
// campaigns with long names could share a schema.
const longestSchema = 63

// schemaOf returns the PostgreSQL schema for a campaign of a guild.
func schemaOf(guild, campaign string) string {
	name := strings.TrimSuffix("guild_"+guild+"_"+campaign, "_")
	if len(name) <= longestSchema {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := "_" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(name[:longestSchema-len(end)], "") + end
}

// configOf returns the common configuration with the campaign's own data directory. A loaded campaign brings
// its own name, system, world and scene; the cast is the configured one.
func (g *Guild) configOf(c loadedCampaign) *config.Config {
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

// Cast returns the NPCs of the campaign that is played. The slice must not be changed.
func (g *Guild) Cast(ctx context.Context) (all []config.NPC, err error) {
	err = g.withCampaign(ctx, func(game *Game) error {
		all = game.Cast()
		return nil
	})
	return all, err
}

// Tools describes the guild's tools. If measure is true, it measures them first.
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

// Servers describes the external servers, with the reasons why some are down.
func (g *Guild) Servers(ctx context.Context) (all []mcphost.ServerStatus, err error) {
	err = g.withCampaign(ctx, func(game *Game) error {
		game.Registry.Ready(ctx, func(string) {})
		all = game.Registry.Servers()
		return nil
	})
	return all, err
}

// ToolsAwaitingApproval returns the tools whose definitions wait for approval.
func (g *Guild) ToolsAwaitingApproval(ctx context.Context) (held []mcphost.Held, err error) {
	err = g.withCampaign(ctx, func(game *Game) (err error) {
		game.Registry.Ready(ctx, func(string) {})
		held, err = game.Registry.Host.Held(ctx)
		return err
	})
	return held, err
}

// maxRecalled is how many sessions are searched for one that has lines.
const maxRecalled = 20

// RecallSession returns the latest session that has lines, and its last lines, at most most of them. Players
// see only the lines that everyone may know. If there is no such session, its id is empty.
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
