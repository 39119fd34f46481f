package upstream

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

// Run keeps the server connected until ctx ends. It sends the outcome of the
// first attempt to first, which must not block.
func (s *Server) Run(ctx context.Context, first chan<- error) {
	defer close(s.stopped)
	var retry backoff
	for ctx.Err() == nil {
		start := time.Now()
		s.pause.refused.Store(false)
		l, err := s.connect(ctx)
		cost := time.Since(start)
		var lived time.Duration
		if err == nil {
			sendFirst(&first, nil)
			err = s.watchLink(ctx, l)
			lived = time.Since(start) - cost
		}
		if errors.Is(err, errIdle) {
			l.close()
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
			continue
		}
		s.withdrawTools(ctx, err)
		sendFirst(&first, err)
		if l != nil {
			l.close()
		}
		if lived > steady {
			retry = backoff{}
		}
		if l != nil && errors.Is(err, sdk.ErrSessionMissing) {
			continue // it is there, only our session is gone
		}
		sleepFor(ctx, max(retry.wait(cost, l == nil && s.pause.refused.Load()), s.pause.remaining()))
	}
}

// sendFirst sends the outcome of the first attempt, once.
func sendFirst(first *chan<- error, err error) {
	if *first != nil {
		*first <- err
		*first = nil
	}
}

// sleepFor waits for d, or until ctx ends.
func sleepFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// connect dials the server and registers its tools, within its time limit.
func (s *Server) connect(ctx context.Context) (*link, error) {
	ctx, cancel := s.limitAttempt(ctx)
	defer cancel()
	protocol := ""
	if s.older {
		protocol = olderProtocol
	}
	l, err := s.openLink(ctx, protocol)
	if err != nil {
		if errors.Is(context.Cause(ctx), errNoAnswer) {
			s.older = !s.older // perhaps it only did not understand
		}
		return nil, s.unavailableError(ctx, err)
	}
	if _, err := s.publishTools(ctx, l); err != nil {
		l.close()
		return nil, s.unavailableError(ctx, err)
	}
	return l, nil
}

// errNoAnswer means the time for connecting or listing is over.
var errNoAnswer = errors.New("no answer")

func (s *Server) limitAttempt(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := time.Duration(s.cfg.ConnectTimeout)
	if limit <= 0 {
		limit = defaultConnectTimeout
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w within %s", errNoAnswer, limit))
}

func (s *Server) unavailableError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%w: %w", mcp.ErrUnavailable, s.redactError(err))
}

// watchLink waits until the session ends and says why. Meanwhile it lists the
// tools again whenever the server says they changed, pings it when its calls
// fail or there are none, and lets it go when nobody needs it.
func (s *Server) watchLink(ctx context.Context, l *link) error {
	idle := newIdleTimer(time.Duration(s.cfg.IdleSleep))
	defer idle.stop()
	pulse := time.NewTicker(pulseInterval)
	defer pulse.Stop()
	var rest listingRest
	s.used.Store(int64(time.Since(s.epoch)))
	for {
		var err error
		select {
		case <-ctx.Done():
			return mcp.ErrClosed
		case <-l.ended:
			return s.redactError(l.reason())
		case <-rest.whenOver(s.relist):
			err = s.listAgain(ctx, l, &rest)
		case <-rest.over:
			rest.over = nil
		case <-s.suspect:
			err = s.pingServer(ctx, l, doubtPing)
		case <-pulse.C:
			if len(s.slots) == 0 { // else the calls will tell
				err = s.pingServer(ctx, l, pulsePing)
			}
		case <-idle.fired():
			if rest := time.Duration(s.used.Load()) + time.Duration(s.cfg.IdleSleep) - time.Since(s.epoch); rest > 0 {
				idle.restart(rest)
			} else if s.fallAsleep() {
				return errIdle
			} else {
				idle.restart(time.Duration(s.cfg.IdleSleep))
			}
		}
		if err != nil {
			return s.redactError(err)
		}
	}
}

// pingServer pings a server: slow tools are no reason to drop it, silence is. Any
// answer counts, also that it knows no ping or wants a pause.
func (s *Server) pingServer(ctx context.Context, l *link, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.session.Ping(ctx, nil)
	if err == nil || answerOf(err) != nil || errors.Is(err, errPaused) {
		s.fails.Store(0)
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

func (i idleTimer) restart(d time.Duration) { i.t.Reset(d) }

func (i idleTimer) stop() {
	if i.t != nil {
		i.t.Stop()
	}
}

// fallAsleep lets go of a server that nobody uses and keeps its tools: a call
// wakes it. It reports false if a call came in between.
func (s *Server) fallAsleep() bool {
	s.mu.Lock()
	l := s.live.Swap(nil) // first, so that a call sees either this or is seen below
	if len(s.slots) > 0 {
		s.live.Store(l)
		s.mu.Unlock()
		return false
	}
	select {
	case <-s.wake: // from before it was connected
	default:
	}
	s.state.Phase = PhaseAsleep
	st := s.state
	s.mu.Unlock()
	if s.publish(s, st) == nil {
		s.log.Info("server sleeps")
	}
	s.endAttempt()
	return true
}

// endAttempt tells those who wait that a connection attempt has ended.
func (s *Server) endAttempt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.settled)
	s.settled = make(chan struct{})
}

// withdrawTools takes the server's tools out of the registry.
func (s *Server) withdrawTools(ctx context.Context, reason error) {
	s.mu.Lock()
	s.live.Store(nil)
	s.state = State{Phase: PhaseDown, Err: reason, Connects: s.state.Connects}
	st := s.state
	s.mu.Unlock()
	if s.publish(s, st) == nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "server lost", slog.Any("reason", reason))
	}
	s.endAttempt()
}
