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
	// A lost server is tried again after firstRetry, then twice that, up to
	// lastRetry, each ±20 % so that servers do not come back in step.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
	// steady is how long a connection must live for the back-off to start over.
	steady = 10 * time.Second
	// maxServerTools bounds what one server may list.
	maxServerTools = 1000
	// relistPause is the least time between two listings, so that a server that
	// announces changes without end costs one listing each.
	relistPause = 100 * time.Millisecond
	// doubtPing is how long a doubted server has to answer a ping.
	doubtPing = 2 * time.Second

	defaultConnectTimeout = 10 * time.Second
)

// errIdle ends a connection that nobody used for long enough.
var errIdle = errors.New("idle")

// supervise keeps the server connected until ctx ends. It sends the outcome of
// the first attempt to first.
func (u *upstream) supervise(ctx context.Context, first chan<- error) {
	retry := firstRetry
	for ctx.Err() == nil {
		start := time.Now()
		l, err := u.connect(ctx)
		if first != nil {
			first <- err
			first = nil
		}
		if err == nil {
			err = u.attend(ctx, l)
		}
		if errors.Is(err, errIdle) {
			u.sleep()
			l.close()
			select {
			case <-u.wake:
			case <-ctx.Done():
			}
			continue
		}
		u.withdraw(err)
		if l != nil {
			l.close()
		}
		if time.Since(start) > steady {
			retry = firstRetry
		}
		wait := max(time.Duration(float64(retry)*(0.8+0.4*rand.Float64())), u.pause.left())
		retry = min(2*retry, lastRetry)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// connect dials the server and registers its tools, within its time limit.
func (u *upstream) connect(ctx context.Context) (*link, error) {
	limit := time.Duration(u.cfg.ConnectTimeout)
	if limit <= 0 {
		limit = defaultConnectTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	l, err := u.dial(ctx)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	if err := u.list(ctx, l.session); err != nil {
		l.close()
		return nil, unavailable(ctx, err)
	}
	return l, nil
}

func unavailable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%w: %v", mcp.ErrUnavailable, err)
}

// attend waits until the session ends and says why. Meanwhile it lists the
// tools again whenever the server says they changed, pings it when its calls
// fail, and lets it go when nobody needs it.
func (u *upstream) attend(ctx context.Context, l *link) error {
	ended := make(chan error, 1)
	go func() { ended <- l.session.Wait() }() // ends with the session, which the caller closes
	idle := newIdleTimer(time.Duration(u.cfg.IdleSleep))
	defer idle.stop()
	u.used.Store(int64(time.Since(u.host.epoch)))
	u.fails.Store(0)
	for {
		select {
		case <-ctx.Done():
			return mcp.ErrClosed
		case err := <-ended:
			if err == nil {
				err = errors.New("the server ended the connection")
			}
			return err
		case <-u.relist:
			if err := u.list(ctx, l.session); err != nil {
				return fmt.Errorf("listing its tools again: %w", err)
			}
			if !pauseFor(ctx, relistPause) {
				return mcp.ErrClosed
			}
		case <-u.suspect:
			if err := u.examine(ctx, l.session); err != nil {
				return err
			}
		case <-idle.fired():
			rest := time.Duration(u.used.Load()) + time.Duration(u.cfg.IdleSleep) - time.Since(u.host.epoch)
			if rest <= 0 && len(u.slots) == 0 {
				return errIdle
			}
			idle.again(max(rest, time.Millisecond))
		}
	}
}

// pauseFor waits for d and reports whether ctx lives.
func pauseFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// examine pings a doubted server: slow tools are no reason to drop it, silence
// is. Any answer counts, also that it knows no ping.
func (u *upstream) examine(ctx context.Context, session *sdk.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, doubtPing)
	defer cancel()
	err := session.Ping(ctx, nil)
	var wire *wireError
	if err == nil || errors.As(err, &wire) {
		u.fails.Store(0)
		return nil
	}
	return fmt.Errorf("it fails calls and does not answer a ping: %w", err)
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

// list reads all pages of the server's tools and registers them.
func (u *upstream) list(ctx context.Context, session *sdk.ClientSession) error {
	var defs []*sdk.Tool
	for def, err := range session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
		if len(defs) == maxServerTools {
			u.host.opts.log.Warn("server lists too many tools", "server", u.cfg.Name, "kept", maxServerTools)
			break
		}
		defs = append(defs, def)
	}
	pins, err := u.host.loadPins(ctx, u.cfg)
	if err != nil {
		return err
	}
	h := u.host
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return mcp.ErrClosed
	}
	u.tools, u.held = u.adopt(defs, pins)
	u.lost = nil
	u.session, u.state, u.err = session, stateReady, nil
	u.settle()
	h.swap()
	h.opts.log.Info("server connected", "server", u.cfg.Name, "tools", len(u.tools), "held", len(u.held))
	h.mu.Unlock()
	return h.savePins(ctx, u.cfg, pins)
}

// settle tells those who wait that a connection attempt has ended. Callers
// hold host.mu.
func (u *upstream) settle() {
	close(u.settled)
	u.settled = make(chan struct{})
}

// adopt turns a listing into registered and held tools; a tool that cannot be
// used is left out with a warning. Callers hold host.mu.
func (u *upstream) adopt(defs []*sdk.Tool, pins *pinSet) (adopted, held []*tool) {
	seen := map[string]bool{}
	for _, d := range defs {
		if d == nil || seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		t, err := u.foreign(d)
		if err != nil {
			u.host.opts.log.Warn("tool left out", "server", u.cfg.Name, "tool", cleanLine(d.Name), "reason", err)
			continue
		}
		if why := pins.check(d, u.cfg.Pin); why != "" {
			u.host.opts.log.Warn("tool definition "+why, "server", u.cfg.Name, "tool", cleanLine(d.Name), "held", u.cfg.Pin)
			if u.cfg.Pin {
				t.hold = why
				held = append(held, t)
				continue
			}
		}
		adopted = append(adopted, t)
	}
	return adopted, held
}

// sleep keeps the tools of a server that is let go: a call wakes it.
func (u *upstream) sleep() {
	u.host.mu.Lock()
	defer u.host.mu.Unlock()
	u.session, u.state = nil, stateAsleep
	u.settle()
	u.host.opts.log.Info("server sleeps", "server", u.cfg.Name)
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
	u.tools, u.held, u.session, u.state, u.err = nil, nil, nil, stateDown, reason
	u.settle()
	if h.closed {
		return
	}
	h.opts.log.LogAttrs(h.life, slog.LevelWarn, "server lost", slog.String("server", u.cfg.Name), slog.Any("reason", reason))
	if had {
		h.swap()
	}
}
