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
	// askTimeout bounds the wait for Discord to admit the bot to a channel. Discord does not answer if the
	// channel is full.
	askTimeout = 10 * time.Second
	// joinTimeout bounds a Join with all its attempts.
	joinTimeout = 25 * time.Second
	// tellTimeout bounds the wait for the main gateway to report why the voice server disconnected the bot,
	// and moveServerTimeout the wait for another server.
	tellTimeout       = 5 * time.Second
	moveServerTimeout = 30 * time.Second
	// freshServer is how old a server may be when the bot's state arrives and still belong to it.
	freshServer = 2 * time.Second
	// steady is how long a connection must last to reset the count of failures.
	steady = 30 * time.Second
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

	phase    phase
	want     string // the wanted channel; empty only when idle
	previous string // asking: the channel of the session that continues
	state    State
	server   Server
	serverAt time.Time
	session  *session // the running session, or nil
	join     *request // not answered yet
	failures int      // in a row
	since    time.Time
	then     verdict // waiting, pausing: the next step
	reason   string  // why the last session ended
	timer    *time.Timer
	fatal    error
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
			k.takeRequest(ctx, r)
		case r := <-k.c.given:
			k.withdraw(r)
		case <-k.c.news.ready:
			state, server := k.c.news.take()
			if state != nil {
				k.takeState(ctx, *state)
			}
			if server != nil {
				k.takeServer(ctx, *server)
			}
		case n := <-k.c.notices:
			k.takeNotice(n)
		case <-ended:
			k.takeEnding(ctx)
		case err := <-k.c.mover.failed:
			k.takeMoveFailure(err)
		case <-k.timer.C:
			k.takeTimeout(ctx)
		}
	}
	k.answerJoin(k.fatal)
	return k.fatal
}

func (k *control) takeRequest(ctx context.Context, r *request) {
	k.answerJoin(errors.New("in the meantime, the bot was called into another channel or out of this one"))
	switch {
	case r.channel == "":
		k.endSession()
		k.goIdle()
		k.c.mover.replace(r.done, "")
		return
	case k.phase == connected && r.channel == k.want:
		k.c.mover.replace(r.done, r.channel)
		return
	}
	k.join, k.failures, k.reason = r, 0, ""
	switch {
	case k.phase == connecting && r.channel == k.want:
		k.c.mover.replace(nil, r.channel)
	case k.phase == connected:
		k.previous, k.want = k.want, r.channel
		k.ask(r.channel)
	default:
		again := k.phase != idle
		k.want = r.channel
		k.endSession()
		if again {
			k.ask("", r.channel)
		} else {
			k.ask(r.channel)
		}
	}
}

// withdraw cancels a request whose caller stopped waiting, and answers it.
func (k *control) withdraw(r *request) {
	switch {
	case r == k.join:
		if k.reason == "" {
			k.reason = "the bot could not connect to the voice channel in time"
		}
		k.giveUpAsking()
	case r.channel == "":
		r.done <- errors.New("the bot is leaving the voice channel anyway")
	default:
		r.done <- errors.New("Discord did not accept the request for the voice channel in time")
	}
}

// ask asks the main gateway for channels, one after the other. It discards the state and server received
// earlier.
func (k *control) ask(channels ...string) {
	k.state, k.server = State{}, Server{}
	k.become(asking, askTimeout)
	k.c.mover.replace(nil, channels...)
}

// become changes the phase, with a timeout of d unless d is zero.
func (k *control) become(p phase, d time.Duration) {
	k.phase = p
	k.timer.Stop()
	if d > 0 {
		k.timer.Reset(d)
	}
}

func (k *control) takeState(ctx context.Context, s State) {
	switch {
	case k.phase == idle:
	case k.phase == asking:
		if s.Channel == k.want {
			k.state = s
			k.startIfKnown(ctx)
		}
	case s.Channel == "":
		k.disconnect(Kicked, "someone disconnected the bot from the voice channel, or deleted the channel; let the bot join again")
	case s.Channel != k.want:
		k.want, k.state = s.Channel, s
		k.interrupt("the bot was moved to another voice channel")
		k.c.opts.Tell(Moved{Channel: s.Channel})
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
	if k.server.Endpoint != "" && time.Since(k.serverAt) < freshServer {
		k.start(ctx)
		return
	}
	k.wait(tellTimeout, identify)
}

// wait waits up to d for the main gateway, and then proceeds with v.
func (k *control) wait(d time.Duration, v verdict) {
	k.then = v
	k.become(waiting, d)
}

func (k *control) takeServer(ctx context.Context, s Server) {
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
	k.become(connecting, 0)
	s, err := newSession(k.c, k.want, k.state, k.server)
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
	k.takeNotices()
	k.session = nil
	k.c.current.Store(nil)
}

// takeNotices handles the remaining notices of an ended session.
func (k *control) takeNotices() {
	for {
		select {
		case n := <-k.c.notices:
			k.takeNotice(n)
		default:
			return
		}
	}
}

func (k *control) takeNotice(n notice) {
	if n.from != k.session {
		return
	}
	if n.event != nil {
		k.c.opts.Tell(n.event)
	}
	if !n.ready || k.phase != connecting {
		return
	}
	k.become(connected, 0)
	k.since = time.Now()
	k.c.lost.Store(nil)
	k.c.count.connections.Add(1)
	k.c.opts.Tell(Connected{Channel: k.want, DAVE: n.from.dave.State().Version})
	k.answerJoin(nil)
}
