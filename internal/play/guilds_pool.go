package play

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// idleTime is how long a campaign stays open after its last lease, because commands and their completions
// come in bursts.
const idleTime = 30 * time.Second

// lease is a claim on an open campaign, which stays open until every lease on it is released.
type lease struct {
	*Game
	// release releases the lease, and may close the campaign.
	release func() error
}

// openCampaign is an open campaign. Its fields are guarded by its pool.
type openCampaign struct {
	game   *Game
	leases int
	uses   int         // leases so far
	timer  *time.Timer // closes it; nil while there are leases
}

// pool leases the campaign that a guild plays. It opens the campaign for the first lease, and closes it some
// time after the last. It is safe for concurrent use.
//
// A campaign is closed without holding mu, because the last lines may be indexed over the network meanwhile.
// No campaign is opened until that is done.
type pool struct {
	// config returns the configuration of the current campaign, and cast its NPCs.
	config func() (*config.Config, error)
	cast   func() []config.NPC
	// openGame opens a campaign.
	openGame func(ctx context.Context, cfg *config.Config) (*Game, error)
	log      *slog.Logger
	work     *sync.WaitGroup // of timers

	mu        sync.Mutex    // guards the fields below, and is held while a campaign opens
	open      *openCampaign // nil while none is open
	closing   int           // campaigns that are being closed
	allClosed chan struct{} // closed when closing reaches 0; nil while it is 0
	closed    bool
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

// awaitClosings waits until all campaigns that are being closed have closed. It releases mu meanwhile.
func (p *pool) awaitClosings(ctx context.Context) error {
	rest := p.allClosed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-rest:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stopTimer cancels the closing of an idle campaign.
func (p *pool) stopTimer(o *openCampaign) {
	if o.timer != nil && o.timer.Stop() {
		p.work.Done()
	}
	o.timer = nil
}

// release releases a lease.
func (p *pool) release(o *openCampaign) error {
	p.mu.Lock()
	o.leases--
	idle := p.detachIdle(o)
	p.mu.Unlock()
	return p.closeGame(idle)
}

// detachIdle returns the game of a campaign without leases for closeGame if it must be closed now, otherwise
// nil. The current campaign is closed later, when it has been idle for a while and no call waits for
// approval.
func (p *pool) detachIdle(o *openCampaign) *Game {
	if o == nil || o.leases > 0 {
		return nil
	}
	if o != p.open || p.closed {
		return p.detachGame(o)
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

// detachGame returns the game of a campaign and counts it as being closed.
func (p *pool) detachGame(o *openCampaign) *Game {
	if o == p.open {
		p.open = nil
	}
	if p.closing++; p.allClosed == nil {
		p.allClosed = make(chan struct{})
	}
	return o.game
}

// closeGame closes a game returned by detachGame; game may be nil. The caller does not hold mu.
func (p *pool) closeGame(game *Game) error {
	if game == nil {
		return nil
	}
	err := game.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing--; p.closing == 0 {
		close(p.allClosed)
		p.allClosed = nil
	}
	return err
}

// expire closes an idle campaign, unless it was leased since.
func (p *pool) expire(o *openCampaign, uses int) {
	p.mu.Lock()
	if o != p.open || o.uses != uses {
		p.mu.Unlock()
		return
	}
	game := p.detachGame(o)
	p.mu.Unlock()
	if err := p.closeGame(game); err != nil {
		p.log.Error("closing a guild's database", "reason", err)
	}
}

// retire makes the next lease open the campaign again. The open one closes with its last lease.
func (p *pool) retire() error {
	p.mu.Lock()
	idle := p.retireOpen()
	p.mu.Unlock()
	return p.closeGame(idle)
}

// retireOpen is retire for callers that hold p.mu. It returns the game that the caller must close, or nil.
func (p *pool) retireOpen() *Game {
	o := p.open
	p.open = nil
	if o != nil {
		p.stopTimer(o)
	}
	return p.detachIdle(o)
}

// replace opens a campaign in place of the current one, and then calls commit. If commit fails, nothing
// changes.
func (p *pool) replace(ctx context.Context, cfg *config.Config, commit func() error) error {
	idle, err := p.replaceOpen(ctx, cfg, commit)
	for _, game := range idle {
		err = errors.Join(err, p.closeGame(game))
	}
	return err
}

// replaceOpen is replace without closing the games that it returns.
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
		return []*Game{p.detachGame(opened)}, err
	}
	was := p.retireOpen()
	p.open = opened
	return []*Game{was, p.detachIdle(opened)}, nil
}

// close closes the campaign as soon as it has no leases, and waits for campaigns that are being closed. No
// further campaign is opened.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.open != nil {
		p.stopTimer(p.open)
	}
	idle := p.detachIdle(p.open)
	p.mu.Unlock()
	err := p.closeGame(idle)
	p.mu.Lock()
	for p.closing > 0 {
		err = errors.Join(err, p.awaitClosings(context.Background()))
	}
	return err
}
