package guilds

import (
	"context"
	"errors"
	"log/slog"
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

// openCampaign is a campaign that is open. Its fields are guarded by its pool.
type openCampaign struct {
	game   *play.Game
	leases int
	uses   int         // leases so far
	timer  *time.Timer // closes it; nil while there are leases
}

// pool leases the campaign that a guild plays. It opens it for the first lease,
// and closes it a while after the last. It is safe for concurrent use.
type pool struct {
	// config is that of the campaign that is played now, and cast who is in it.
	config func() (*config.Config, error)
	cast   func() []config.NPC
	// openGame opens a campaign.
	openGame func(ctx context.Context, cfg *config.Config) (*play.Game, error)
	log      *slog.Logger
	work     *sync.WaitGroup // of timers

	mu     sync.Mutex    // guards the fields below, and is held while a campaign opens or closes
	open   *openCampaign // nil while none is
	closed bool
}

// acquire leases the campaign, and opens it if it is not open.
func (p *pool) acquire(ctx context.Context) (lease, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return lease{}, errClosing
	}
	if p.open == nil {
		cfg, err := p.config()
		if err != nil {
			return lease{}, logTrouble(p.log, "reading what is kept of a guild", err)
		}
		game, err := p.openGame(ctx, cfg)
		if err != nil {
			return lease{}, logTrouble(p.log, "opening a guild's database", err)
		}
		p.open = &openCampaign{game: game}
	}
	o := p.open
	o.leases++
	o.uses++
	o.game.SetCast(p.cast())
	p.stopTimer(o)
	return lease{o.game, sync.OnceValue(func() error { return p.release(o) })}, nil
}

// stopTimer keeps a campaign open that was about to be closed.
func (p *pool) stopTimer(o *openCampaign) {
	if o.timer != nil && o.timer.Stop() {
		p.work.Done()
	}
	o.timer = nil
}

// release gives a lease back.
func (p *pool) release(o *openCampaign) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.leases--
	return p.closeIdle(o)
}

// closeIdle closes a campaign without leases: at once if it is not the one that is
// played any more, else when it was idle for a while and no call waits for
// approval.
func (p *pool) closeIdle(o *openCampaign) error {
	switch {
	case o.leases > 0:
		return nil
	case o != p.open:
		return o.game.Close()
	case p.closed:
		p.open = nil
		return o.game.Close()
	}
	p.stopTimer(o)
	p.work.Add(1)
	wait, uses := max(idleTime, time.Until(o.game.Registry.Governance.Policy.Awaited())), o.uses
	o.timer = time.AfterFunc(wait, func() {
		defer p.work.Done()
		p.expire(o, uses)
	})
	return nil
}

// expire closes a campaign whose time is over, unless it was leased since.
func (p *pool) expire(o *openCampaign, uses int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o != p.open || o.uses != uses {
		return
	}
	p.open = nil
	if err := o.game.Close(); err != nil {
		p.log.Error("closing a guild's database", "reason", err)
	}
}

// retire has the next lease open the campaign anew; the one that is open closes
// with its last lease.
func (p *pool) retire() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retireOpen()
}

// retireOpen is retire for whoever holds p.mu.
func (p *pool) retireOpen() error {
	o := p.open
	p.open = nil
	if o == nil {
		return nil
	}
	p.stopTimer(o)
	return p.closeIdle(o)
}

// replace opens a campaign in place of the one that is open, unless commit, which
// is called once that is done, fails.
func (p *pool) replace(ctx context.Context, cfg *config.Config, commit func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	game, err := p.openGame(ctx, cfg)
	if err != nil {
		return logTrouble(p.log, "opening a guild's campaign", err)
	}
	if err := commit(); err != nil {
		return errors.Join(err, game.Close())
	}
	err = p.retireOpen()
	p.open = &openCampaign{game: game}
	return errors.Join(err, p.closeIdle(p.open))
}

// close closes the campaign as soon as it has no leases; there are no more.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.open == nil {
		return nil
	}
	p.stopTimer(p.open)
	return p.closeIdle(p.open)
}
