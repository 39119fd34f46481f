package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// The supervisor retries a lost server after firstRetry, then after twice that, and so on, each ±20 % so
	// that several servers do not reconnect in step. The longest wait is retryShare times the duration of an
	// attempt, between lastRetry and longestRetry. A server that is cheap to try is therefore back within two
	// seconds of its return, and an expensive one takes at most a twentieth of our time. A server that
	// rejected us is tried at most every longestRetry.
	firstRetry   = 250 * time.Millisecond
	lastRetry    = 1200 * time.Millisecond
	longestRetry = 30 * time.Second
	retryShare   = 20
	// steady is how long a connection must live before the back-off is reset.
	steady = 10 * time.Second
	// doubtPing is how long a server has to answer a ping after calls failed.
	doubtPing = 2 * time.Second
	// pulseInterval is how often a server without calls is pinged, and pulsePing how long it has to answer.
	pulseInterval = 15 * time.Second
	pulsePing     = 10 * time.Second

	defaultConnectTimeout = 10 * time.Second
)

// errIdle ends a connection that no call has used for the configured time.
var errIdle = errors.New("idle")

// backoff computes the waits between connection attempts.
type backoff struct{ next time.Duration }

// wait returns how long to wait after an attempt that took cost.
func (b *backoff) wait(cost time.Duration, rejected bool) time.Duration {
	limit := min(max(retryShare*cost, lastRetry), longestRetry)
	if rejected {
		limit = longestRetry
	}
	d := min(max(b.next, firstRetry), limit)
	b.next = 2 * d
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// Run keeps the server connected until ctx ends. It sends the outcome of the first attempt to first, which
// must be buffered.
func (s *Server) Run(ctx context.Context, first chan<- error) {
	defer close(s.stopped)
	report := func(err error) {
		if first != nil {
			first <- err
			first = nil
		}
	}
	var retry backoff
	for ctx.Err() == nil {
		start := time.Now()
		s.pause.rejected.Store(false)
		l, err := s.connect(ctx)
		cost := time.Since(start)
		var lived time.Duration
		if err == nil {
			report(nil)
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
		report(err)
		if l != nil {
			l.close()
		}
		if lived > steady {
			retry = backoff{}
		}
		if l != nil && errors.Is(err, sdk.ErrSessionMissing) {
			continue // the server is alive, only our session is gone
		}
		sleepFor(ctx, max(retry.wait(cost, l == nil && s.pause.rejected.Load()), s.pause.remaining()))
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

// connect dials the server and publishes its tools, within its time limit. If the server does not answer, the
// next attempt uses the other protocol revision, because the server may not have understood this one.
func (s *Server) connect(ctx context.Context) (*link, error) {
	ctx, cancel := s.limitAttempt(ctx)
	defer cancel()
	protocol := ""
	if s.older {
		protocol = olderProtocol
	}
	l, err := s.openLink(ctx, protocol)
	if errors.Is(err, sdk.ErrConnectionClosed) && s.web == nil && protocol == "" && ctx.Err() == nil {
		if l, err = s.openLink(ctx, olderProtocol); err == nil {
			s.older = true // it ends at a method that it does not know
		}
	}
	for i := len(protocols) - 2; i >= 0 && err != nil && refusesProtocol(err); i-- {
		l, err = s.openLink(ctx, protocols[i])
	}
	if err != nil && s.web != nil && s.web.refused.Swap(false) {
		l, err = s.openOlder(ctx, protocol, err)
	}
	if err != nil {
		if errors.Is(context.Cause(ctx), errNoAnswer) {
			s.older = !s.older
		}
		return nil, s.unavailableError(ctx, err)
	}
	if _, err := s.publishTools(ctx, l); err != nil {
		l.close()
		return nil, s.unavailableError(ctx, err)
	}
	return l, nil
}

// refusesProtocol reports whether a server refuses to open a session because of the protocol revision. The
// protocol asks it to name another revision instead.
func refusesProtocol(err error) bool {
	wire := answerOf(err)
	if wire == nil {
		return false
	}
	says := strings.ToLower(wire.Message)
	return strings.Contains(says, "version") && (strings.Contains(says, "protocol") || strings.Contains(says, "unsupported"))
}

// openOlder connects to a server that refused to open a session, because it may use the older HTTP+SSE
// transport. If it does not, openOlder returns refusal.
func (s *Server) openOlder(ctx context.Context, protocol string, refusal error) (*link, error) {
	if !s.web.older.CompareAndSwap(false, true) {
		return nil, refusal
	}
	l, err := s.openLink(ctx, protocol)
	if err != nil {
		s.web.older.Store(false)
		return nil, fmt.Errorf("%w (and it is no server of the older HTTP+SSE transport: %w)", refusal, err)
	}
	s.log.Info("server uses the older HTTP+SSE transport")
	return l, nil
}

// errNoAnswer means that connecting or listing took too long.
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

// watchLink waits until the session ends and returns why. Meanwhile it lists the tools again when the server
// says that they changed, pings the server when calls fail or there are no calls, and ends an idle session.
func (s *Server) watchLink(ctx context.Context, l *link) error {
	var idle <-chan time.Time // nil, so it never fires, if the server does not sleep
	idleSleep := time.Duration(s.cfg.IdleSleep)
	idleTimer := time.NewTimer(idleSleep)
	defer idleTimer.Stop()
	if idleSleep > 0 {
		idle = idleTimer.C
	}
	pulse := time.NewTicker(pulseInterval)
	defer pulse.Stop()
	var relist relistThrottle
	s.lastUsed.Store(int64(time.Since(s.epoch)))
	for {
		var err error
		select {
		case <-ctx.Done():
			return mcp.ErrClosed
		case <-l.ended:
			return s.redactError(l.reason())
		case <-relist.relistIfAllowed(s.relist):
			err = s.relistTools(ctx, l, &relist)
		case <-relist.wait:
			relist.wait = nil
		case <-s.doubted:
			err = s.pingServer(ctx, l, doubtPing)
		case <-pulse.C:
			if len(s.slots) == 0 { // otherwise the calls show whether it is alive
				err = s.pingServer(ctx, l, pulsePing)
			}
		case <-idle:
			if rest := time.Duration(s.lastUsed.Load()) + idleSleep - time.Since(s.epoch); rest > 0 {
				idleTimer.Reset(rest)
			} else if s.disconnectIdle() {
				return errIdle
			} else {
				idleTimer.Reset(idleSleep)
			}
		}
		if err != nil {
			return s.redactError(err)
		}
	}
}

// pingServer returns an error if the server does not answer a ping. A slow tool is no reason to drop a
// server, but silence is. Any answer counts, even an error or a request for a pause.
func (s *Server) pingServer(ctx context.Context, l *link, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.session.Ping(ctx, nil)
	if err == nil || answerOf(err) != nil || errors.Is(err, errPaused) {
		s.failures.Store(0)
		return nil
	}
	select {
	case <-l.ended:
		return l.reason()
	default:
		return fmt.Errorf("it does not answer a ping: %w", err)
	}
}

// disconnectIdle ends the connection of an unused server but keeps its tools; the next call wakes it. It returns
// false if a call has come in meanwhile.
func (s *Server) disconnectIdle() bool {
	s.mu.Lock()
	l := s.live.Swap(nil) // first, so that a new call either sees nil or is seen below
	if len(s.slots) > 0 {
		s.live.Store(l)
		s.mu.Unlock()
		return false
	}
	select {
	case <-s.wake: // a stale signal from before the connection
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

// endAttempt wakes calls that wait for the end of a connection attempt.
func (s *Server) endAttempt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.attempted)
	s.attempted = make(chan struct{})
}

// withdrawTools publishes that the server is down and has no tools.
func (s *Server) withdrawTools(ctx context.Context, reason error) {
	s.mu.Lock()
	s.live.Store(nil)
	s.state = ServerState{Phase: PhaseDown, Err: reason, Connects: s.state.Connects}
	st := s.state
	s.mu.Unlock()
	if s.publish(s, st) == nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "server lost", slog.Any("reason", reason))
	}
	s.endAttempt()
}
