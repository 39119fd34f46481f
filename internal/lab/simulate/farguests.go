package simulate

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/farend"
	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
)

const (
	// joinTime bounds a guest's join, and joinsAtOnce the number of concurrent
	// joins.
	joinTime    = 30 * time.Second
	joinsAtOnce = 8
	// Levels in dB below full scale: speech, a room, and a muted microphone.
	loudSpeech, loudRoom, loudNothing = 20, 62, 127
	// letGo is the number of packets without words after which a player
	// releases the button: longer than the pauses within lines.
	letGo = 40
	// silentPacket is an encoder's packet at the end of a spurt.
	silentPacket = "\xf8\xff\xfe"
)

// guests are the players of tables in browsers, by table.
type guests [][]*guest

// guest is a player in a browser. Like a page's, its stream never ends: a
// player who holds a button to speak sends silence in between, muted. It
// implements seat.
type guest struct {
	meter  *farMeter
	number int // of its stream
	name   string
	idle   clip // between lines
	below  uint8
	held   bool                            // the player holds a button to speak
	page   atomic.Pointer[visitor.Visitor] // nil until the guest has joined

	// Owned by the player's goroutine:
	silent int // packets without words
	muted  bool

	last  [visitorStreams]uint16 // the last packet of each stream of voices; owned by its reader
	heard [visitorStreams]bool   // whether there was one
}

// visitorStreams is the number of streams a page receives: the NPCs', and other
// players'.
const visitorStreams = 5

func newGuests(setup farSetup, m *farMeter, p *pool) guests {
	var all guests
	for n := range setup.Tables {
		var at []*guest
		for i := range setup.Players {
			g := &guest{meter: m, number: n*setup.Players + i, name: nameOfPlayer(i), idle: p.room, below: loudRoom}
			if !hasOpenMicrophone(i) {
				g.idle, g.below, g.held = p.quiet, loudNothing, true
			}
			at = append(at, g)
		}
		all = append(all, at)
	}
	return all
}

// join makes all guests join by the links of their tables.
func (gs guests) join(ctx context.Context, links []string) (answer farAnswer) {
	if len(links) != len(gs) {
		return farAnswer{fmt.Sprintf("%d links to %d tables in browsers", len(links), len(gs))}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(joinsAtOnce)
	for n, at := range gs {
		for _, g := range at {
			group.Go(func() error { return g.join(ctx, links[n]) })
		}
	}
	if err := group.Wait(); err != nil {
		answer.Failed = err.Error()
	}
	return answer
}

// leave makes all guests leave, several at once.
func (gs guests) leave() error {
	var group errgroup.Group
	group.SetLimit(joinsAtOnce)
	for _, at := range gs {
		for _, g := range at {
			if v := g.page.Load(); v != nil {
				group.Go(v.Close)
			}
		}
	}
	return group.Wait()
}

func (g *guest) join(ctx context.Context, link string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	address, invite := splitLink(link)
	v, err := visitor.Join(ctx, visitor.Options{Table: address, Invite: invite, Name: g.name, Heard: g.hear})
	if err != nil {
		return fmt.Errorf("%s cannot join %s: %w", g.name, address, err)
	}
	g.page.Store(v)
	return nil
}

// hear handles a packet of a stream: the NPCs', or another player's.
func (g *guest) hear(stream int, p *rtp.Packet) {
	if stream == 0 {
		g.meter.packet(farend.Packet{
			Channel: g.number, At: time.Now(), Seq: p.SequenceNumber, Timestamp: p.Timestamp, Silence: bytes.Equal(p.Payload, []byte(silentPacket)),
		})
		return
	}
	if stream >= visitorStreams {
		return
	}
	missing := 0
	if g.heard[stream] {
		missing = int(int16(p.SequenceNumber - g.last[stream] - 1))
	}
	g.heard[stream], g.last[stream] = true, p.SequenceNumber
	g.meter.voice(missing)
}

// Push implements seat and sends speech.
func (g *guest) Push(p ear.Packet) {
	v := g.page.Load()
	if v == nil {
		return
	}
	g.silent = 0
	g.mute(v, false)
	_ = v.SpeakPacket(p.Payload, loudSpeech) // the report lacks a guest who has left
}

// sayNothing sends the microphone's sound between lines, for the 20 ms with
// that number.
func (g *guest) sayNothing(n int) {
	v := g.page.Load()
	if v == nil {
		return
	}
	if g.silent++; g.held && g.silent >= letGo {
		g.mute(v, true)
	}
	_ = v.SpeakPacket(g.idle[n%len(g.idle)].Payload, g.below)
}

// mute tells the table whether the guest holds the button.
func (g *guest) mute(v *visitor.Visitor, on bool) {
	if g.muted != on {
		g.muted = on
		_ = v.Send(map[string]any{"type": "mute", "on": on})
	}
}
