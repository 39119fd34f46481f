package voice

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// readyTimeout bounds the time until a session can send sound.
	readyTimeout = 15 * time.Second
	// resumeTimeout bounds the server's time to resume a session.
	resumeTimeout = 10 * time.Second
	// writeTimeout bounds writing a message to the gateway.
	writeTimeout = 5 * time.Second
	// closeTimeout bounds the closing handshake.
	closeTimeout = time.Second
	// companyTimeout is how long the server has to report the others in the channel. A bot that is alone has
	// no one to agree on an encryption with, and no listeners.
	companyTimeout = 500 * time.Millisecond
	// agreeTimeout bounds a renewed agreement on the encryption; after that, the session starts over.
	agreeTimeout = 30 * time.Second
	// maxResumes bounds the consecutive resumptions before a new session.
	maxResumes = 4
	// inQueue bounds the unhandled gateway messages. A full queue blocks reading.
	inQueue = 16
)

// transport is the encryption of packets to and from Discord.
type transport struct {
	mode string
	key  string
	seal *Sealer // used by the sender
	open *Opener // used by the receiver
}

// session is one identity at a voice server. It can outlive its connections to the gateway by resuming.
type session struct {
	c       *Conn
	channel string
	state   State
	server  Server
	cancel  context.CancelFunc // set by control
	done    chan struct{}      // closed when run returns
	ending  ending             // the reason; valid after done

	dave      encryption
	transport atomic.Pointer[transport]
	roster    atomic.Pointer[roster] // written only by serve's goroutine
	outbox    outbox
	speaking  speaking

	met        atomic.Bool         // the server had time to report the other users
	beatenAt   atomic.Int64        // when the last keep-alive was sent, in Unix nanoseconds
	echoed     atomic.Uint32       // the last echoed keep-alive, 0 for none
	discovered chan netip.AddrPort // the bot's own address, once
	failed     chan error          // failures of the UDP connection
	media      sync.WaitGroup      // the receiver and the sender

	// Owned by run's goroutine:
	seq       int64
	udp       net.Conn
	ready     ready
	mode      string
	described bool
	announced bool // reported that sound can be sent
	chosen    int  // encryption version that the server chose
	version   int  // last reported version in use
	readyBy   time.Time
	resumes   int // consecutive
	resumedAt time.Time
}

// newSession returns a session that has not started.
func newSession(c *Conn, channel string, state State, server Server) (*session, error) {
	s := &session{
		c: c, channel: channel, state: state, server: server,
		done:       make(chan struct{}),
		outbox:     outbox{ready: make(chan struct{}, 1)},
		speaking:   speaking{ready: make(chan struct{}, 1), done: make(chan struct{}, 1), gate: make(chan struct{}, 1)},
		discovered: make(chan netip.AddrPort, 1), failed: make(chan error, 2),
		seq: noSeq, readyBy: time.Now().Add(readyTimeout),
	}
	s.roster.Store(&roster{})
	var err error
	s.dave, err = c.encrypt(s)
	return s, err
}

// run maintains the session until ctx ends or the session ends, and waits for all its goroutines.
func (s *session) run(ctx context.Context) {
	defer close(s.done)
	ctx, cancel := context.WithCancel(ctx)
	e := s.serveWithResumes(ctx)
	cancel()
	if s.udp != nil {
		_ = s.udp.Close() // ends blocked reads
	}
	s.media.Wait()
	_ = s.dave.Close() // never fails
	s.ending = e
}

// serveWithResumes connects to the gateway repeatedly while the session can be resumed.
func (s *session) serveWithResumes(ctx context.Context) ending {
	url, err := gatewayURL(s.server.Endpoint)
	if err != nil {
		return ending{rejoin, err.Error()}
	}
	for {
		e := s.serve(ctx, url)
		if ctx.Err() != nil || e.verdict != resume {
			return e
		}
		if !s.resumedAt.IsZero() && time.Since(s.resumedAt) >= stableAfter {
			s.resumes = 0
		}
		s.resumes++
		if !s.described || s.resumes > maxResumes {
			e.verdict = identify
			return e
		}
		s.c.opts.Logger.Info("resuming a voice session", "guild", s.c.opts.Guild, "reason", e.reason)
		if !sleep(ctx, backoff(s.resumes)) {
			return e
		}
	}
}

// sleep waits for d. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// serve makes one connection to the gateway and starts the session, or resumes it if it was described. It
// returns why the connection ended; the zero value if ctx ended.
func (s *session) serve(ctx context.Context, url string) ending {
	dialling, cancel := context.WithTimeout(ctx, dialTimeout)
	ws, err := s.c.net.dialGateway(dialling, url)
	cancel()
	if err != nil {
		return ending{resume, fmt.Sprintf("Discord's voice server cannot be reached: %v", err)}
	}
	l := &link{ws: ws, in: make(chan inbound, inQueue), beat: newStoppedTimer(), due: newStoppedTimer(), company: newStoppedTimer(), agree: newStoppedTimer(), limit: time.NewTimer(time.Until(s.readyBy))}
	defer l.stopTimers()
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	var reader sync.WaitGroup
	reader.Go(func() { l.read(reading) })
	defer func() {
		stop()
		ws.drop()
		reader.Wait()
	}()
	if s.described {
		l.resuming = true
		l.company.Reset(companyTimeout)
		l.limit.Reset(resumeTimeout)
		err = l.send(ctx, opResume, resumeData{s.c.opts.Guild, s.state.Session, s.server.Token, s.seq})
	} else {
		err = l.send(ctx, opIdentify, identifyData{s.c.opts.Guild, s.c.opts.User, s.state.Session, s.server.Token, DAVEVersion})
	}
	if err != nil {
		return l.whyBroken(ctx)
	}
	e := s.loop(ctx, l)
	if ctx.Err() != nil {
		late := time.AfterFunc(closeTimeout, stop)
		defer late.Stop()
		ws.close(closeNormal)
	}
	return e
}

const closeNormal = 1000

func newStoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// loop handles events one at a time until the connection ends.
func (s *session) loop(ctx context.Context, l *link) ending {
	for {
		var e ending
		l.awaitEncryption(s.dave.Due())
		outbox, speaking := s.outbox.ready, s.speaking.ready
		if l.resuming {
			outbox, speaking = nil, nil
		}
		select {
		case <-ctx.Done():
			return ending{}
		case m := <-l.in:
			if m.err != nil {
				return whyClosed(m.err)
			}
			e = s.handleMessage(ctx, l, m)
		case <-l.beat.C:
			e = s.heartbeat(ctx, l)
		case <-l.limit.C:
			return s.timeoutEnding()
		case <-outbox:
			e = s.sendOutbox(ctx, l)
		case <-speaking:
			e = s.sendSpeaking(ctx, l)
		case <-s.dave.Woken():
			s.tick(ctx, l)
		case <-l.due.C:
			s.tick(ctx, l)
		case <-l.company.C:
			s.met.Store(true)
			s.reportEncryption(ctx, l)
		case <-l.agree.C:
			return s.timeoutEnding()
		case own := <-s.discovered:
			e = s.selectProtocol(ctx, l, own)
		case err := <-s.failed:
			return ending{identify, err.Error()}
		}
		if e.verdict != 0 {
			return e
		}
	}
}

// timeoutEnding returns an ending for the step that took too long.
func (s *session) timeoutEnding() ending {
	switch {
	case s.announced && !s.maySend():
	case s.announced:
		return ending{resume, "Discord's voice server did not resume the connection in time"}
	case s.udp == nil:
		return ending{identify, "Discord's voice server did not answer in time"}
	case !s.described:
		return ending{identify, "Discord's voice server did not say in time how sound is encrypted"}
	}
	return ending{identify, "the bot and the others in the voice channel did not agree on an end-to-end encryption in time"}
}

// heartbeat sends a heartbeat, unless the previous one was not acknowledged.
func (s *session) heartbeat(ctx context.Context, l *link) ending {
	if l.awaited {
		return ending{resume, "Discord's voice server stopped answering"}
	}
	l.nonce++
	l.awaited, l.sentAt = true, time.Now()
	if l.send(ctx, opHeartbeat, heartbeatData{l.nonce, s.seq}) != nil {
		return l.whyBroken(ctx)
	}
	l.beat.Reset(l.interval)
	return ending{}
}

// sendNotice passes a notice to control.
func (s *session) sendNotice(ctx context.Context, n notice) {
	n.from = s
	select {
	case s.c.notices <- n:
	case <-ctx.Done():
	}
}

// fail ends the session because the UDP connection failed. It never blocks.
func (s *session) fail(err error) {
	select {
	case s.failed <- err:
	default: // the session is already ending
	}
}
