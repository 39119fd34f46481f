package voice

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

// phase is where a connection stands.
type phase uint8

const (
	// idle: in no channel. Exit: Join (asking).
	idle phase = iota
	// asking: the main gateway was asked for a channel. The session of the
	// channel before goes on meanwhile. Exits: state and server are there
	// (connecting), nothing comes (idle; connected, if the session before stands;
	// pausing, if nobody waits for a Join).
	asking
	// connecting: a session begins. Exits: sound can be sent (connected), the
	// session ends (pausing, waiting, idle).
	connecting
	// connected: sound can be sent. Exits: as of connecting.
	connected
	// waiting: the main gateway has to tell what happened. Exits: it does
	// (connecting, idle), or does not (by then).
	waiting
	// pausing: before the next try. Exit: the pause is over (by then).
	pausing
)

const (
	// askTimeout is how long Discord has to let the bot into a channel. It does
	// not answer at all where the channel is full.
	askTimeout = 10 * time.Second
	// joinTimeout is how long a Join may take with all its tries.
	joinTimeout = 25 * time.Second
	// tellTimeout is how long the main gateway has to tell why the voice server
	// disconnected the bot, and moveServerTimeout to find another server.
	tellTimeout       = 5 * time.Second
	moveServerTimeout = 30 * time.Second
	// freshServer is how far before the bot's own state another server may come
	// and belong to it.
	freshServer = 2 * time.Second
	// steady is how long a connection has to last so that what failed before is
	// forgotten.
	steady = 30 * time.Second
	// maxFailures in a row are borne.
	maxFailures = 6
)

// backoff is the pause before a try, by how many failed before.
func backoff(failures int) time.Duration {
	if failures <= 1 {
		return 250 * time.Millisecond
	}
	return min(time.Second<<(failures-2), 15*time.Second)
}

// request is a Join, or a Leave if it names no channel.
type request struct {
	channel string
	done    chan error // has room for the answer, and another that nobody takes
	at      time.Time
}

// notice is what a session tells.
type notice struct {
	from  *session
	event Event
	ready bool // sound can be sent
}

// control decides what the connection does. It belongs to one goroutine.
type control struct {
	c     *Conn
	group *errgroup.Group // owns sessions

	phase    phase
	want     string // the channel; empty only when idle
	previous string // asking: the channel of the session that goes on
	state    State
	server   Server
	serverAt time.Time
	session  *session // runs; nil if none does
	join     *request // not answered yet
	failures int      // in a row
	since    time.Time
	then     verdict // waiting, pausing: what comes after
	reason   string  // why the last session ended
	timer    *time.Timer
	fatal    error
}

// run decides until ctx ends or nothing can be mended.
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
	k.answerJoin(errors.New("the bot was asked into another channel, or out of this one, meanwhile"))
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

// withdraw gives up a request that nobody waits for any more, and answers it.
func (k *control) withdraw(r *request) {
	switch {
	case r == k.join:
		if k.reason == "" {
			k.reason = "the bot could not be connected to the voice channel in this time"
		}
		k.giveUpAsking()
	case r.channel == "":
		r.done <- errors.New("the bot leaves the voice channel nevertheless")
	default:
		r.done <- errors.New("the main gateway did not take the wish for the voice channel in time")
	}
}

// ask asks the main gateway for channels, one after the other. Without a server
// of now, an earlier one must not count.
func (k *control) ask(channels ...string) {
	k.state, k.server = State{}, Server{}
	k.become(asking, askTimeout)
	k.c.mover.replace(nil, channels...)
}

// become changes the phase, which times out after d unless that is zero.
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
		k.disconnect(Kicked, "somebody disconnected the bot from the voice channel, or deleted it; let it join again")
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

// renew begins a session with a server that just came, or waits for one.
func (k *control) renew(ctx context.Context) {
	k.endSession()
	if k.server.Endpoint != "" && time.Since(k.serverAt) < freshServer {
		k.start(ctx)
		return
	}
	k.wait(tellTimeout, identify)
}

// wait waits for the main gateway for d; then comes v.
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
		k.interrupt("Discord looks for another voice server")
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

// start begins a session in place of what runs.
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

// endSession ends the session, if one runs, and waits for it.
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

// takeNotices takes what a session that has ended left behind.
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
