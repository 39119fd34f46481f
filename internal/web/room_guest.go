package web

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/webrtc/v4"
	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// connectTime bounds how long a guest who has joined takes to be connected.
	connectTime = 30 * time.Second
	// goodbyeTime bounds how long the last message may take.
	goodbyeTime = time.Second
	// maxUnsent bounds what a page does not take, in bytes: who is slower than that leaves.
	maxUnsent = 256 << 10
	// inboxSize is how many messages of a guest may wait, and messageRate how many come
	// in a second; what is more is refused.
	inboxSize, messageRate, messageBurst = 16, 5, 20
	// refusedRate and refusedBurst are how many refused messages a guest may send: more is a
	// program, since a page of ours sends one for each key and click.
	refusedRate, refusedBurst = 1, 60
	// hintEvery is how often a guest reads that messages are refused.
	hintEvery = 5 * time.Second
	// linesBefore are the latest lines that who comes later is told.
	linesBefore = 40
)

// Why guests leave, as they read it.
const (
	reasonOver      = "The table is closed."
	reasonLeft      = "You have left the table."
	reasonRemoved   = "The game master has taken you from the table."
	reasonForgotten = "What you said here is forgotten, and you have left the table."
	reasonTaken     = "You have joined again elsewhere."
	reasonSlow      = "This page does not keep up with the table; reload it."
	reasonLost      = "The connection was lost."
	reasonFlood     = "Your browser sent more than this table takes, so you have left it. Reload the page to come back."
	reasonNever     = "No connection came about: ask who runs the table for a TURN server, or try another network."
)

// guest is somebody who has joined. One goroutine of the room runs it, see run.
type guest struct {
	room               *Room
	name, secret, user string
	pc                 *webrtc.PeerConnection
	npcs               *webrtc.RTPSender // of the NPCs' sound; nil until there is one
	gate               *gate             // nil until the guest connects
	at                 *Sitting
	seat               *table.Seat // nil where the table does not hear
	slots              slots

	channel   atomic.Pointer[webrtc.DataChannel]
	inbox     chan request
	budget    *rate.Limiter // of messages
	refused   *rate.Limiter // of messages above the budget
	hints     *rate.Limiter // about those
	connected chan struct{} // closed when the sound connects
	once      sync.Once
	muted     atomic.Bool
	voice     voicing

	left      chan struct{} // closed when nothing of the guest is there any more
	ended     context.Context
	cancel    context.CancelCauseFunc
	readers   sync.WaitGroup // of tracks
	startLock sync.Mutex     // guards closing
	closing   bool           // no reader begins any more
}

// leaving is why a guest leaves.
type leaving string

func (l leaving) Error() string { return string(l) }

// end has the guest leave. It does not wait, and only the first reason counts. From then on
// nothing the page sends counts, and nothing but the goodbye is sent to it. The seat stays the
// guest's until the connection is gone, for a page that is loaded anew; see [Room.revoke].
func (g *guest) end(why string) { g.cancel(leaving(why)) }

// hasEnded reports whether the guest is leaving or has left.
func (g *guest) hasEnded() bool { return g.ended.Err() != nil }

// start begins something that reads until the connection is closed.
func (g *guest) start(read func()) {
	g.startLock.Lock()
	defer g.startLock.Unlock()
	if !g.closing {
		g.readers.Go(read)
	}
}

// watch has the guest told of what becomes of its connection.
func (g *guest) watch() {
	g.pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		switch s {
		case webrtc.PeerConnectionStateConnected:
			g.once.Do(func() { close(g.connected) })
		case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
			g.end(reasonLost)
		}
	})
	g.pc.OnDataChannel(func(c *webrtc.DataChannel) {
		if c.Label() != "table" || !g.channel.CompareAndSwap(nil, c) {
			if g.gate.keepChannel() {
				_ = c.Close() // a page of ours opens one alone
			}
			return
		}
		c.OnOpen(func() { g.greet() })
		c.OnMessage(func(m webrtc.DataChannelMessage) { g.receive(m.Data) })
		c.OnClose(func() { g.end(reasonLost) })
	})
	g.pc.OnTrack(func(t *webrtc.TrackRemote, from *webrtc.RTPReceiver) {
		g.start(func() { g.listen(t, from) })
	})
}

// receive takes a message. It does not wait.
func (g *guest) receive(data []byte) {
	if g.hasEnded() {
		return
	}
	if !g.budget.Allow() {
		g.refuse()
		return
	}
	q, err := parseRequest(data)
	if err != nil {
		g.send(newNotice(err.Error()))
		return
	}
	switch q.Type {
	case sayLeave:
		g.room.dismiss(g, reasonLeft)
	case sayMute:
		g.muted.Store(q.On)
		g.room.tellState()
	default:
		select {
		case g.inbox <- q:
		default:
			g.refuse()
		}
	}
}

// refuse leaves out a message that is one too many. It says so now and then, because an answer
// to each would only add to them, and ends who goes on.
func (g *guest) refuse() {
	if !g.refused.Allow() {
		g.gate.exceed()
		return
	}
	if g.hints.Allow() {
		g.send(newNotice("That was too much at once, and some of it is left out. Wait for the answers."))
	}
}

// run carries out what the guest wants until the guest leaves, and then takes all of it
// away.
func (g *guest) run() {
	timer := time.NewTimer(connectTime)
	defer timer.Stop()
	connected := g.connected
	for !g.hasEnded() {
		select {
		case <-connected:
			connected = nil
			timer.Stop()
		case <-timer.C:
			g.end(reasonNever)
		case q := <-g.inbox:
			if !g.hasEnded() { // both may be ready at once
				g.carryOut(g.ended, q)
			}
		case <-g.ended.Done():
		}
	}
	g.leave()
}

// leave takes away all there is of the guest, and waits for it.
func (g *guest) leave() {
	r := g.room
	g.stopNPCs()
	r.depart(g)
	if g.voice.on.Load() {
		r.tellAll(speakingMessage{"speaking", g.name, false})
	}
	g.sayGoodbye()
	g.startLock.Lock()
	g.closing = true
	g.startLock.Unlock()
	if err := g.pc.GracefulClose(); err != nil {
		r.o.Logger.Warn("closing the connection of a browser", "reason", err)
	}
	g.readers.Wait()
	if g.seat != nil {
		g.seat.Leave()
	}
	if context.Cause(g.ended) == leaving(reasonFlood) {
		g.reportFlood()
	}
	r.release(g)
	r.o.Logger.Info("a guest has left", "user", g.user, "reason", context.Cause(g.ended))
}

// stopNPCs takes the NPCs' sound from the guest, who would hear it until the connection is
// closed.
func (g *guest) stopNPCs() {
	if g.npcs == nil {
		return
	}
	if err := g.npcs.ReplaceTrack(nil); err != nil {
		g.room.o.Logger.Debug("taking the NPCs' sound from a guest", "reason", err)
	}
}

// reportFlood tells the game master that the guest was ended.
func (g *guest) reportFlood() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbyeTime)
	defer cancel()
	text := g.name + "'s browser sent more than the table takes, and was disconnected. If it comes back and does so again, /guests link makes a new link, and the old one lets nobody in."
	if err := g.at.Table.Notify(ctx, "warning", text); err != nil {
		g.room.o.Logger.Warn("a guest was disconnected", "user", g.user, "reason", reasonFlood)
	}
}

// sayGoodbye tells why the connection ends, if the page still takes it.
func (g *guest) sayGoodbye() {
	c := g.channel.Load()
	if c == nil || c.ReadyState() != webrtc.DataChannelStateOpen {
		return
	}
	gone := make(chan struct{}, 1)
	c.SetBufferedAmountLowThreshold(0)
	c.OnBufferedAmountLow(func() {
		select {
		case gone <- struct{}{}:
		default:
		}
	})
	_ = c.SendText(encode(byeMessage{"bye", context.Cause(g.ended).Error()})) // whether it comes is seen below
	if c.BufferedAmount() == 0 {
		return
	}
	timer := time.NewTimer(goodbyeTime)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
	}
}

func (g *guest) send(message any) { g.sendText(encode(message)) }

// sendText sends a message. It does not wait: who does not take messages leaves.
func (g *guest) sendText(text string) {
	c := g.channel.Load()
	if c == nil || g.hasEnded() || c.ReadyState() != webrtc.DataChannelStateOpen {
		return
	}
	if c.BufferedAmount() > maxUnsent {
		g.end(reasonSlow)
		return
	}
	_ = c.SendText(text) // who is gone is noticed by the connection
}
