package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// A lost server is tried again after firstRetry, then twice that, and so
	// on, each ±20 % so that servers do not come back in step. The longest wait
	// lies between lastRetry and longestRetry: retryShare times what an attempt
	// costs, so that a server that is cheap to try is back within two seconds
	// of its return, and one that is not takes no more than a twentieth of our
	// time. One that turned us away is asked no more often than longestRetry.
	firstRetry   = 250 * time.Millisecond
	lastRetry    = 1200 * time.Millisecond
	longestRetry = 30 * time.Second
	retryShare   = 20
	// steady is how long a connection must live for the back-off to start over.
	steady = 10 * time.Second
	// doubtPing is how long a doubted server has to answer a ping.
	doubtPing = 2 * time.Second
	// pulseInterval is how often a server without calls is pinged, and
	// pulsePing how long it has to answer.
	pulseInterval = 15 * time.Second
	pulsePing     = 10 * time.Second

	defaultConnectTimeout = 10 * time.Second
)

// errIdle ends a connection that nobody used for long enough.
var errIdle = errors.New("idle")

// backoff counts the waits between attempts to connect.
type backoff struct{ next time.Duration }

// wait returns how long to wait after an attempt of that cost.
func (b *backoff) wait(cost time.Duration, refused bool) time.Duration {
	limit := min(max(retryShare*cost, lastRetry), longestRetry)
	if refused {
		limit = longestRetry
	}
	d := min(max(b.next, firstRetry), limit)
	b.next = 2 * d
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// supervise keeps the server connected until ctx ends. It sends the outcome of
// the first attempt to first.
func (u *upstream) supervise(ctx context.Context, first chan<- error) {
	var retry backoff
	for ctx.Err() == nil {
		start := time.Now()
		u.pause.refused.Store(false)
		l, err := u.connect(ctx)
		cost := time.Since(start)
		var lived time.Duration
		if err == nil {
			tell(&first, nil)
			err = u.attend(ctx, l)
			lived = time.Since(start) - cost
		}
		if errors.Is(err, errIdle) {
			l.close()
			select {
			case <-u.wake:
			case <-ctx.Done():
			}
			continue
		}
		u.withdraw(err)
		tell(&first, err)
		if l != nil {
			l.close()
		}
		if lived > steady {
			retry = backoff{}
		}
		if l != nil && errors.Is(err, sdk.ErrSessionMissing) {
			continue // it is there, only our session is gone
		}
		pauseFor(ctx, max(retry.wait(cost, l == nil && u.pause.refused.Load()), u.pause.left()))
	}
}

// tell sends the outcome of the first attempt, once.
func tell(first *chan<- error, err error) {
	if *first != nil {
		*first <- err
		*first = nil
	}
}

// pauseFor waits for d, or until ctx ends.
func pauseFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// connect dials the server and registers its tools, within its time limit.
func (u *upstream) connect(ctx context.Context) (*link, error) {
	ctx, cancel := u.timeLimit(ctx)
	defer cancel()
	protocol := ""
	if u.older {
		protocol = olderProtocol
	}
	l, err := u.dial(ctx, protocol)
	if err != nil {
		if errors.Is(context.Cause(ctx), errNoAnswer) {
			u.older = !u.older // perhaps it only did not understand
		}
		return nil, u.unavailable(ctx, err)
	}
	if err := u.list(ctx, l); err != nil {
		l.close()
		return nil, u.unavailable(ctx, err)
	}
	return l, nil
}

// errNoAnswer means the time for connecting or listing is over.
var errNoAnswer = errors.New("no answer")

func (u *upstream) timeLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := time.Duration(u.cfg.ConnectTimeout)
	if limit <= 0 {
		limit = defaultConnectTimeout
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w within %s", errNoAnswer, limit))
}

func (u *upstream) unavailable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%w: %w", mcp.ErrUnavailable, u.told(err))
}

// attend waits until the session ends and says why. Meanwhile it lists the
// tools again whenever the server says they changed, pings it when its calls
// fail or there are none, and lets it go when nobody needs it.
func (u *upstream) attend(ctx context.Context, l *link) error {
	idle := newIdleTimer(time.Duration(u.cfg.IdleSleep))
	defer idle.stop()
	pulse := time.NewTicker(pulseInterval)
	defer pulse.Stop()
	var rest listingRest
	u.used.Store(int64(time.Since(u.host.epoch)))
	u.fails.Store(0)
	for {
		var err error
		select {
		case <-ctx.Done():
			return mcp.ErrClosed
		case <-l.ended:
			return u.told(l.reason())
		case <-rest.gate(u.relist):
			err = u.listAgain(ctx, l, &rest)
		case <-rest.over:
			rest.over = nil
		case <-u.suspect:
			err = u.examine(ctx, l, doubtPing)
		case <-pulse.C:
			if len(u.slots) == 0 { // else the calls will tell
				err = u.examine(ctx, l, pulsePing)
			}
		case <-idle.fired():
			if rest := time.Duration(u.used.Load()) + time.Duration(u.cfg.IdleSleep) - time.Since(u.host.epoch); rest > 0 {
				idle.again(rest)
			} else if u.sleep() {
				return errIdle
			} else {
				idle.again(time.Duration(u.cfg.IdleSleep))
			}
		}
		if err != nil {
			return u.told(err)
		}
	}
}

// examine pings a server: slow tools are no reason to drop it, silence is. Any
// answer counts, also that it knows no ping or wants a pause.
func (u *upstream) examine(ctx context.Context, l *link, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.session.Ping(ctx, nil)
	if err == nil || answered(err) != nil || errors.Is(err, errPaused) {
		u.fails.Store(0)
		return nil
	}
	select {
	case <-l.ended:
		return l.reason()
	default:
		return fmt.Errorf("it does not answer a ping: %w", err)
	}
}

// idleTimer fires when a server was idle for long enough; never for 0.
type idleTimer struct{ t *time.Timer }

func newIdleTimer(d time.Duration) idleTimer {
	if d <= 0 {
		return idleTimer{}
	}
	return idleTimer{time.NewTimer(d)}
}

func (i idleTimer) fired() <-chan time.Time {
	if i.t == nil {
		return nil
	}
	return i.t.C
}

func (i idleTimer) again(d time.Duration) { i.t.Reset(d) }

func (i idleTimer) stop() {
	if i.t != nil {
		i.t.Stop()
	}
}

// sleep lets go of a server that nobody uses and keeps its tools: a call wakes
// it. It reports false if a call came in between.
func (u *upstream) sleep() bool {
	h := u.host
	h.mu.Lock()
	defer h.mu.Unlock()
	l := u.live.Swap(nil) // first, so that a call sees either this or is seen below
	if len(u.slots) > 0 {
		u.live.Store(l)
		return false
	}
	select {
	case <-u.wake: // from before it was connected
	default:
	}
	u.state = stateAsleep
	u.settle()
	h.opts.log.Info("server sleeps", "server", u.cfg.Name)
	return true
}

// settle tells those who wait that a connection attempt has ended. Callers
// hold host.mu.
func (u *upstream) settle() {
	close(u.settled)
	u.settled = make(chan struct{})
}

// withdraw takes the server's tools out of the registry.
func (u *upstream) withdraw(reason error) {
	h := u.host
	h.mu.Lock()
	defer h.mu.Unlock()
	had := len(u.tools) > 0
	if had {
		u.lost = u.tools
	}
	u.live.Store(nil)
	u.tools, u.held, u.state, u.err = nil, nil, stateDown, reason
	u.settle()
	if h.closed {
		return
	}
	h.opts.log.LogAttrs(h.life, slog.LevelWarn, "server lost", slog.String("server", u.cfg.Name), slog.Any("reason", reason))
	if had {
		h.swap()
	}
}
