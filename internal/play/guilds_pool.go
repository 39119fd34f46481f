package play

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// idleTime is how long a campaign stays open after the last who needed it:
// commands, and what completes them, come in flocks.
const idleTime = 30 * time.Second

// lease is somebody's hold on an open campaign. It stays open until every lease
// on it was given back.
type lease struct {
	*Game
	// giveBack ends the lease, and may close the campaign.
	giveBack func() error
}

// openCampaign is a campaign that is open. Its fields are guarded by its pool.
type openCampaign struct {
	game   *Game
	leases int
	uses   int         // leases so far
	timer  *time.Timer // closes it; nil while there are leases
}

// pool leases the campaign that a guild plays. It opens it for the first lease,
// and closes it a while after the last. It is safe for concurrent use.
//
// A campaign is closed without mu, since what was said last may be indexed over
// the network meanwhile; until that is done none is opened.
type pool struct {
	// config is that of the campaign that is played now, and cast who is in it.
	config func() (*config.Config, error)
	cast   func() []config.NPC
	// openGame opens a campaign.
	openGame func(ctx context.Context, cfg *config.Config) (*Game, error)
	log      *slog.Logger
	work     *sync.WaitGroup // of timers

	mu      sync.Mutex    // guards the fields below, and is held while a campaign opens
	open    *openCampaign // nil while none is
	closing int           // campaigns that are being closed
	rest    chan struct{} // is closed once there are none; nil while there are none
	closed  bool
}

// acquire leases the campaign, and opens it if it is not open.
func (p *pool) acquire(ctx context.Context) (lease, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed && p.open == nil && p.closing > 0 {
		if err := p.awaitClosings(ctx); err != nil {
			return lease{}, err
		}
	}
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

// awaitClosings waits until the campaigns that are being closed are, without mu
// meanwhile.
func (p *pool) awaitClosings(ctx context.Context) error {
	rest := p.rest
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-rest:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
	o.leases--
	idle := p.takeIdle(o)
	p.mu.Unlock()
	return p.closeGame(idle)
}

// takeIdle returns the game of a campaign without leases if it is to be closed now,
// for closeGame, and nil otherwise: one that is still played is closed when it was
// idle for a while and no call waits for approval.
func (p *pool) takeIdle(o *openCampaign) *Game {
	if o == nil || o.leases > 0 {
		return nil
	}
	if o != p.open || p.closed {
		return p.takeGame(o)
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

// takeGame returns the game of a campaign, which is being closed from now on.
func (p *pool) takeGame(o *openCampaign) *Game {
	if o == p.open {
		p.open = nil
	}
	if p.closing++; p.rest == nil {
		p.rest = make(chan struct{})
	}
	return o.game
}

// closeGame closes a game that was taken, if any. The caller does not hold mu.
func (p *pool) closeGame(game *Game) error {
	if game == nil {
		return nil
	}
	err := game.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing--; p.closing == 0 {
		close(p.rest)
		p.rest = nil
	}
	return err
}

// expire closes a campaign whose time is over, unless it was leased since.
func (p *pool) expire(o *openCampaign, uses int) {
	p.mu.Lock()
	if o != p.open || o.uses != uses {
		p.mu.Unlock()
		return
	}
	game := p.takeGame(o)
	p.mu.Unlock()
	if err := p.closeGame(game); err != nil {
		p.log.Error("closing a guild's database", "reason", err)
	}
}

// retire has the next lease open the campaign anew; the one that is open closes
// with its last lease.
func (p *pool) retire() error {
	p.mu.Lock()
	idle := p.retireOpen()
	p.mu.Unlock()
	return p.closeGame(idle)
}

// retireOpen is retire for whoever holds p.mu. It returns what takeIdle does.
func (p *pool) retireOpen() *Game {
	o := p.open
	p.open = nil
	if o != nil {
		p.stopTimer(o)
	}
	return p.takeIdle(o)
}

// replace opens a campaign in place of the one that is open, unless commit, which
// is called once that is done, fails.
func (p *pool) replace(ctx context.Context, cfg *config.Config, commit func() error) error {
	idle, err := p.replaceOpen(ctx, cfg, commit)
	for _, game := range idle {
		err = errors.Join(err, p.closeGame(game))
	}
	return err
}

// replaceOpen is replace except for the closing of the games it returns.
func (p *pool) replaceOpen(ctx context.Context, cfg *config.Config, commit func() error) (idle []*Game, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.closing > 0 {
		if err := p.awaitClosings(ctx); err != nil {
			return nil, err
		}
	}
	game, err := p.openGame(ctx, cfg)
	if err != nil {
		return nil, logTrouble(p.log, "opening a guild's campaign", err)
	}
	opened := &openCampaign{game: game}
	if err := commit(); err != nil {
		return []*Game{p.takeGame(opened)}, err
	}
	was := p.retireOpen()
	p.open = opened
	return []*Game{was, p.takeIdle(opened)}, nil
}

// close closes the campaign as soon as it has no leases, and waits for those that
// are being closed; no more are opened.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.open != nil {
		p.stopTimer(p.open)
	}
	idle := p.takeIdle(p.open)
	p.mu.Unlock()
	err := p.closeGame(idle)
	p.mu.Lock()
	for p.closing > 0 {
		err = errors.Join(err, p.awaitClosings(context.Background()))
	}
	return err
}
