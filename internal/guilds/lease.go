package guilds

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// idleTime is how long a campaign stays open after the last who needed it:
// commands, and what completes them, come in flocks.
const idleTime = 30 * time.Second

// lease is somebody's hold on an open campaign. It stays open until every lease
// on it was given back.
type lease struct {
	*play.Game
	// giveBack ends the lease, and may close the campaign.
	giveBack func() error
}

// openCampaign is a campaign that is open. Its fields are guarded by its guild.
type openCampaign struct {
	game   *play.Game
	leases int
	uses   int         // leases so far
	timer  *time.Timer // closes it; nil while there are leases
}

// acquire leases the guild's campaign, and opens it if it is not open.
func (g *Guild) acquire(ctx context.Context) (lease, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return lease{}, errClosing
	}
	if g.open == nil {
		cfg, err := g.currentConfig()
		if err != nil {
			return lease{}, g.logTrouble("reading what is kept of a guild", err)
		}
		if g.open, err = g.openConfigured(ctx, cfg); err != nil {
			return lease{}, g.logTrouble("opening a guild's database", err)
		}
	}
	o := g.open
	o.leases++
	o.uses++
	o.game.SetCast(g.guilds.latestConfig().NPCs)
	g.stopTimer(o)
	return lease{o.game, sync.OnceValue(func() error { return g.release(o) })}, nil
}

// withCampaign does something with the guild's campaign open.
func (g *Guild) withCampaign(ctx context.Context, do func(*play.Game) error) error {
	l, err := g.acquire(ctx)
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
		a.lease, a.err = g.acquire(g.guilds.life)
		select {
		case in <- a:
			return
		case <-ctx.Done():
		}
		if a.err != nil {
			return // it is logged
		}
		if err := a.giveBack(); err != nil {
			g.guilds.log.Error("closing a guild's database", "guild", g.id, "reason", err)
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
func (g *Guild) logTrouble(doing string, err error) error {
	g.guilds.log.Error(doing, "guild", g.id, "reason", err)
	return errUnavailable
}

// openConfigured opens a campaign without leases.
func (g *Guild) openConfigured(ctx context.Context, cfg *config.Config) (*openCampaign, error) {
	game, err := g.guilds.openGame(ctx, g.id, cfg)
	if err != nil {
		return nil, err
	}
	return &openCampaign{game: game}, nil
}

// stopTimer keeps a campaign open that was about to be closed.
func (g *Guild) stopTimer(o *openCampaign) {
	if o.timer != nil && o.timer.Stop() {
		g.guilds.work.Done()
	}
	o.timer = nil
}

// release gives a lease back.
func (g *Guild) release(o *openCampaign) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	o.leases--
	return g.closeIdle(o)
}

// closeIdle closes a campaign without leases: at once if it is not the one that is
// played any more, else when it was idle for a while and no call waits for
// approval.
func (g *Guild) closeIdle(o *openCampaign) error {
	switch {
	case o.leases > 0:
		return nil
	case o != g.open:
		return o.game.Close()
	case g.closing:
		g.open = nil
		return o.game.Close()
	}
	g.stopTimer(o)
	g.guilds.work.Add(1)
	wait, uses := max(idleTime, time.Until(o.game.Registry.Governance.Policy.Awaited())), o.uses
	o.timer = time.AfterFunc(wait, func() {
		defer g.guilds.work.Done()
		g.expire(o, uses)
	})
	return nil
}

// expire closes a campaign whose time is over, unless it was leased since.
func (g *Guild) expire(o *openCampaign, uses int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o != g.open || o.uses != uses {
		return
	}
	g.open = nil
	if err := o.game.Close(); err != nil {
		g.guilds.log.Error("closing a guild's database", "guild", g.id, "reason", err)
	}
}

// retireOpen has the next lease open the campaign anew; the one that is open
// closes with its last lease.
func (g *Guild) retireOpen() error {
	o := g.open
	g.open = nil
	if o == nil {
		return nil
	}
	g.stopTimer(o)
	return g.closeIdle(o)
}

// close closes the campaign as soon as it has no leases; there are no more.
func (g *Guild) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closing = true
	if g.open == nil {
		return nil
	}
	g.stopTimer(g.open)
	return g.closeIdle(g.open)
}

// currentConfig is that of the campaign that is played.
func (g *Guild) currentConfig() (*config.Config, error) {
	r, err := g.records.read()
	if err != nil {
		return nil, err
	}
	c, known := r.findCampaign(r.Campaign)
	if !known {
		return nil, fmt.Errorf("%s names no campaign %q", filepath.Join(g.dir, recordName), r.Campaign)
	}
	return g.configOf(c), nil
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
	return &own
}
