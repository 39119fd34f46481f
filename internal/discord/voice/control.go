package voice

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

// phase is the state of a connection.
type phase uint8

const (
	// idle: in no channel. Exit: Join (asking).
	idle phase = iota
	// asking: the main gateway was asked for a channel. A session in the previous channel continues
	// meanwhile. Exits: state and server have arrived (connecting); they do not arrive (idle; connected, if
	// the previous session still runs; pausing, if no Join waits).
	asking
	// connecting: a session is starting. Exits: sound can be sent (connected), the session ends (pausing,
	// waiting, idle).
	connecting
	// connected: sound can be sent. Exits: as for connecting.
	connected
	// waiting: for a report of the main gateway. Exits: it arrives (connecting, idle), or it does not (see
	// then).
	waiting
	// pausing: before the next attempt. Exit: the pause is over (see then).
	pausing
)

const (
	// admitTimeout bounds the wait for Discord to admit the bot to a channel. Discord does not answer if the
	// channel is full.
	admitTimeout = 10 * time.Second
	// joinTimeout bounds a Join with all its attempts.
	joinTimeout = 25 * time.Second
	// reportTimeout bounds the wait for the main gateway to report why the voice server disconnected the bot,
	// and moveServerTimeout the wait for another server.
	reportTimeout     = 5 * time.Second
	moveServerTimeout = 30 * time.Second
	// maxServerAge is how old a server may be when the bot's state arrives and still belong to it.
	maxServerAge = 2 * time.Second
	// stableAfter is how long a connection must last to reset the count of failures.
	stableAfter = 30 * time.Second
	// maxFailures bounds the consecutive failures.
	maxFailures = 6
)

// backoff returns the pause before an attempt after a number of failures.
func backoff(failures int) time.Duration {
	if failures <= 1 {
		return 250 * time.Millisecond
	}
	return min(time.Second<<(failures-2), 15*time.Second)
}

// request is a Join, or a Leave if channel is empty.
type request struct {
	channel string
	done    chan error // buffered for the answer and a second one that is never received
	at      time.Time
}

// notice is a report of a session.
type notice struct {
	from  *session
	event Event
	ready bool // sound can be sent
}

// control makes the connection's decisions. Only one goroutine uses it.
type control struct {
	c     *Conn
	group *errgroup.Group // owns the sessions

	phase         phase
	wantedChannel string // the wanted channel; empty only when idle
	previous      string // asking: the channel of the session that continues
	state         State
	server        Server
	serverAt      time.Time
	session       *session // the running session, or nil
	pendingJoin   *request // not answered yet
	failures      int      // in a row
	since         time.Time
	nextStep      verdict // waiting, pausing: the next step
	reason        string  // why the last session ended
	timer         *time.Timer
	fatal         error
}

// run handles requests and events until ctx ends or retrying cannot help.
func (k *control) run(ctx context.Context) error {
	k.timer = time.NewTimer(time.Hour)
	k.timer.Stop()
	defer k.timer.Stop()
	for k.fatal == nil {
		var ended <-chan struct{}
		if k.session != nil {
			ended = k.session.done
		}
		select {
		case <-ctx.Done():
			k.endSession()
			k.answerJoin(ErrClosed)
			return nil
		case r := <-k.c.requests:
			k.handleRequest(ctx, r)
		case r := <-k.c.cancelled:
			k.cancelRequest(r)
		case <-k.c.updates.ready:
			state, server := k.c.updates.pop()
			if state != nil {
				k.handleState(ctx, *state)
			}
			if server != nil {
				k.handleServer(ctx, *server)
			}
		case n := <-k.c.notices:
			k.handleNotice(n)
		case <-ended:
			k.handleSessionEnd(ctx)
		case err := <-k.c.mover.failed:
			k.handleMoveFailure(err)
		case <-k.timer.C:
			k.handleTimeout(ctx)
		}
	}
	k.answerJoin(k.fatal)
	return k.fatal
}

func (k *control) handleRequest(ctx context.Context, r *request) {
	k.answerJoin(errors.New("in the meantime, the bot was called into another channel or out of this one"))
	switch {
	case r.channel == "":
		k.endSession()
		k.goIdle()
		k.c.mover.replace(r.done, "")
		return
	case k.phase == connected && r.channel == k.wantedChannel:
		k.c.mover.replace(r.done, r.channel)
		return
	}
	k.pendingJoin, k.failures, k.reason = r, 0, ""
	switch {
	case k.phase == connecting && r.channel == k.wantedChannel:
		k.c.mover.replace(nil, r.channel)
	case k.phase == connected:
		k.previous, k.wantedChannel = k.wantedChannel, r.channel
		k.requestChannels(r.channel)
	default:
		again := k.phase != idle
		k.wantedChannel = r.channel
		k.endSession()
		if again {
			k.requestChannels("", r.channel)
		} else {
			k.requestChannels(r.channel)
		}
	}
}

// cancelRequest cancels a request whose caller stopped waiting, and answers it.
func (k *control) cancelRequest(r *request) {
	switch {
	case r == k.pendingJoin:
		if k.reason == "" {
			k.reason = "the bot could not connect to the voice channel in time"
		}
		k.failJoin()
	case r.channel == "":
		r.done <- errors.New("the bot is leaving the voice channel anyway")
	default:
		r.done <- errors.New("the request for the voice channel was not accepted by Discord in time")
	}
}

// requestChannels asks the main gateway for channels, one after the other. It discards the state and server received
// earlier.
func (k *control) requestChannels(channels ...string) {
	k.state, k.server = State{}, Server{}
	k.setPhase(asking, admitTimeout)
	k.c.mover.replace(nil, channels...)
}

// setPhase changes the phase, with a timeout of d unless d is zero.
func (k *control) setPhase(p phase, d time.Duration) {
	k.phase = p
	k.timer.Stop()
	if d > 0 {
		k.timer.Reset(d)
	}
}

func (k *control) handleState(ctx context.Context, s State) {
	switch {
	case k.phase == idle:
	case k.phase == asking:
		if s.Channel == k.wantedChannel {
			k.state = s
			k.startIfKnown(ctx)
		}
	case s.Channel == "":
		k.disconnect(Kicked, "someone disconnected the bot from the voice channel, or deleted the channel; let the bot join again")
	case s.Channel != k.wantedChannel:
		k.wantedChannel, k.state = s.Channel, s
		k.interrupt("the bot was moved to another voice channel")
		k.c.opts.OnEvent(Moved{Channel: s.Channel})
		k.renew(ctx)
	case s.Session != k.state.Session:
		k.state = s
		k.interrupt("the bot's session at Discord was replaced")
		k.renew(ctx)
	}
}

// renew starts a session if a server has just arrived, or else waits for one.
func (k *control) renew(ctx context.Context) {
	k.endSession()
	if k.server.Endpoint != "" && time.Since(k.serverAt) < maxServerAge {
		k.start(ctx)
		return
	}
	k.wait(reportTimeout, identify)
}

// wait waits up to d for the main gateway, and then proceeds with v.
func (k *control) wait(d time.Duration, v verdict) {
	k.nextStep = v
	k.setPhase(waiting, d)
}

func (k *control) handleServer(ctx context.Context, s Server) {
	switch {
	case k.phase == idle:
	case k.phase == asking:
		k.server, k.serverAt = s, time.Now()
		k.startIfKnown(ctx)
	case s.Endpoint == "":
		k.server = Server{}
		k.interrupt("Discord is looking for another voice server")
		k.endSession()
		k.wait(moveServerTimeout, rejoin)
	case s == k.server && k.session != nil:
	default:
		k.server, k.serverAt = s, time.Now()
		k.interrupt("Discord moved the voice channel to another server")
		k.start(ctx)
	}
}

func (k *control) startIfKnown(ctx context.Context) {
	if k.state.Session != "" && k.server.Endpoint != "" {
		if k.session != nil {
			k.interrupt("the bot goes to another voice channel")
		}
		k.start(ctx)
	}
}

// start replaces the running session with a new one.
func (k *control) start(ctx context.Context) {
	k.endSession()
	k.previous = ""
	k.setPhase(connecting, 0)
	s, err := newSession(k.c, k.wantedChannel, k.state, k.server)
	if err != nil {
		k.disconnect(GaveUp, err.Error())
		return
	}
	k.session = s
	k.c.current.Store(s)
	run := k.session.run
	ctx, k.session.cancel = context.WithCancel(ctx)
	k.group.Go(func() error { run(ctx); return nil })
}

// endSession ends the running session, if any, and waits for it.
func (k *control) endSession() {
	if k.session == nil {
		return
	}
	k.session.cancel()
	<-k.session.done
	k.drainNotices()
	k.session = nil
	k.c.current.Store(nil)
}

// drainNotices handles the remaining notices of an ended session.
func (k *control) drainNotices() {
	for {
		select {
		case n := <-k.c.notices:
			k.handleNotice(n)
		default:
			return
		}
	}
}

func (k *control) handleNotice(n notice) {
	if n.from != k.session {
		return
	}
	if n.event != nil {
		k.c.opts.OnEvent(n.event)
	}
	if !n.ready || k.phase != connecting {
		return
	}
	k.setPhase(connected, 0)
	k.since = time.Now()
	k.c.silencedSince.Store(nil)
	k.c.count.connections.Add(1)
	k.c.opts.OnEvent(Connected{Channel: k.wantedChannel, DAVE: n.from.dave.State().Version})
	k.answerJoin(nil)
}
