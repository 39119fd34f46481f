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
	// connectTime bounds the time until a guest who has joined is connected.
	connectTime = 30 * time.Second
	// goodbyeTime bounds sending the last message.
	goodbyeTime = time.Second
	// maxUnsent bounds the unsent bytes to a page. A guest whose page is slower leaves.
	maxUnsent = 256 << 10
	// inboxSize bounds a guest's waiting messages, and messageRate the messages per second. More are refused.
	inboxSize, messageRate, messageBurst = 16, 5, 20
	// refusedRate and refusedBurst limit the refused messages. A guest who exceeds them is a program, because
	// our page sends one message per key or click.
	refusedRate, refusedBurst = 1, 60
	// hintEvery is the minimum interval between two notices about refused messages.
	hintEvery = 5 * time.Second
	// linesBefore bounds the latest lines sent to a new guest.
	linesBefore = 40
)

// Reasons for leaving, shown to the guest.
const (
	reasonOver      = "The table is closed."
	reasonLeft      = "You have left the table."
	reasonRemoved   = "The game master has removed you from the table."
	reasonForgotten = "What you said here has been deleted, and you have left the table."
	reasonTaken     = "You have joined again elsewhere."
	reasonSlow      = "This page is too slow for the table; reload it."
	reasonLost      = "The connection was lost."
	reasonFlood     = "Your browser sent more than this table accepts, so you were disconnected. Reload the page to come back."
	reasonNever     = "No connection could be made: ask the host for a TURN server, or try another network."
)

// guest is a person who has joined. A goroutine of the room runs it, see run.
type guest struct {
	room               *Room
	name, secret, user string
	pc                 *webrtc.PeerConnection
	npcs               *webrtc.RTPSender // sends the NPCs' sound; nil before
	gate               *connLimiter      // nil until the guest connects
	at                 *Sitting
	seat               *table.Seat // nil if the table cannot hear
	slots              slots

	channel   atomic.Pointer[webrtc.DataChannel]
	inbox     chan request
	budget    *rate.Limiter // for messages
	refused   *rate.Limiter // for messages above the budget
	hints     *rate.Limiter // for notices about refused messages
	connected chan struct{} // closed when sound is connected
	once      sync.Once
	muted     atomic.Bool
	voice     speakingState

	released  chan struct{} // closed when the guest is completely gone
	ended     context.Context
	cancel    context.CancelCauseFunc
	readers   sync.WaitGroup // of tracks
	startLock sync.Mutex     // guards closing
	closing   bool           // no more readers may start
}

// leaving is a guest's reason for leaving.
type leaving string

func (l leaving) Error() string { return string(l) }

// end makes the guest leave. It does not wait, and only the first reason counts. Afterwards, messages from
// the page are ignored and only the goodbye is sent to it. The guest keeps the seat until the connection is
// closed, so that a reloaded page can use it; see [Room.revoke].
func (g *guest) end(why string) { g.cancel(leaving(why)) }

// hasEnded reports whether the guest is leaving or has left.
func (g *guest) hasEnded() bool { return g.ended.Err() != nil }

// start starts a goroutine that reads until the connection is closed.
func (g *guest) start(read func()) {
	g.startLock.Lock()
	defer g.startLock.Unlock()
	if !g.closing {
		g.readers.Go(read)
	}
}

// watch sets the handlers of the guest's connection.
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
			if g.gate.allowChannel() {
				_ = c.Close() // our page opens only one
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

// receive handles a message. It does not wait.
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
		g.room.broadcastState()
	default:
		select {
		case g.inbox <- q:
		default:
			g.refuse()
		}
	}
}

// refuse drops a message above the limits. It notifies the guest only now and then, because a notice per
// message would add to the load, and ends a guest who continues.
func (g *guest) refuse() {
	if !g.refused.Allow() {
		g.gate.exceed()
		return
	}
	if g.hints.Allow() {
		g.send(newNotice("That was too much at once, so some of it was left out. Wait for the answers."))
	}
}

// run handles the guest's requests until the guest leaves, and then releases everything.
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
			if !g.hasEnded() { // both cases may be ready
				g.handleRequest(g.ended, q)
			}
		case <-g.ended.Done():
		}
	}
	g.release()
}

// release releases everything that belongs to the guest, and waits for it.
func (g *guest) release() {
	r := g.room
	g.stopNPCs()
	r.depart(g)
	if g.voice.on.Load() {
		r.broadcast(speakingMessage{"speaking", g.name, false})
	}
	g.sendReason()
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

// stopNPCs stops the NPCs' sound, which the guest would otherwise hear until the connection is closed.
func (g *guest) stopNPCs() {
	if g.npcs == nil {
		return
	}
	if err := g.npcs.ReplaceTrack(nil); err != nil {
		g.room.o.Logger.Debug("taking the NPCs' sound from a guest", "reason", err)
	}
}

// reportFlood tells the game master that the guest was disconnected.
func (g *guest) reportFlood() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbyeTime)
	defer cancel()
	text := g.name + "'s browser sent more than the table accepts, and was disconnected. If that happens again, make a new link with /guests link; the old one then lets nobody in."
	if err := g.at.Table.Notify(ctx, "warning", text); err != nil {
		g.room.o.Logger.Warn("a guest was disconnected", "user", g.user, "reason", reasonFlood)
	}
}

// sendReason sends the reason for leaving, if the page still receives messages.
func (g *guest) sendReason() {
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
	_ = c.SendText(encode(byeMessage{"bye", context.Cause(g.ended).Error()})) // delivery is checked below
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

// sendText sends a message. It does not wait: a guest whose page is too slow leaves.
func (g *guest) sendText(text string) {
	c := g.channel.Load()
	if c == nil || g.hasEnded() || c.ReadyState() != webrtc.DataChannelStateOpen {
		return
	}
	if c.BufferedAmount() > maxUnsent {
		g.end(reasonSlow)
		return
	}
	_ = c.SendText(text) // a lost connection is detected elsewhere
}
