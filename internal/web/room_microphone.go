package web

import (
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

const (
	// quietAfter is how long after their last sound somebody still speaks: others hear the
	// end of words and short pauses.
	quietAfter = 600 * time.Millisecond
	// loudness is from where sound is speech, in dB below full scale, and smallest the
	// size of a packet with sound where browsers do not say how loud it is.
	loudness = 50
	smallest = 20
)

// voicing is whether a guest speaks.
type voicing struct {
	on   atomic.Bool
	last atomic.Int64 // when there was sound, in nanoseconds
	// withheld counts the packets that were not passed on: what comes after one follows
	// nothing.
	withheld atomic.Uint32
}

// listen hands on what a guest's microphone brings, until the connection is closed.
func (g *guest) listen(t *webrtc.TrackRemote, from *webrtc.RTPReceiver) {
	var level uint8
	for _, e := range from.GetParameters().HeaderExtensions {
		if e.URI == levelExtension {
			level = uint8(e.ID)
		}
	}
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		if g.hasEnded() {
			continue // until the connection is closed
		}
		if len(p.Payload) == 0 || g.muted.Load() {
			g.voice.withheld.Add(1)
			continue
		}
		g.hear(p, level)
	}
}

// hear hands a packet to the table, and to the other guests if there is speech in it.
func (g *guest) hear(p *rtp.Packet, level uint8) {
	if g.seat != nil {
		g.seat.Push(ear.Packet{Seq: p.SequenceNumber, Payload: p.Payload})
	}
	now := time.Now()
	if isLoud(p, level) {
		g.voice.last.Store(now.UnixNano())
		if g.voice.on.CompareAndSwap(false, true) {
			g.room.tellAll(speakingMessage{"speaking", g.name, true})
		}
	}
	if !g.voice.on.Load() {
		g.voice.withheld.Add(1)
		return
	}
	for _, other := range *g.room.here.Load() {
		if other != g && !other.hasEnded() {
			other.slots.forward(g, now, p)
		}
	}
}

// isLoud reports whether a packet may hold speech.
func isLoud(p *rtp.Packet, level uint8) bool {
	if level != 0 {
		if raw := p.GetExtension(level); len(raw) == 1 {
			return raw[0]&0x7f < loudness
		}
	}
	return len(p.Payload) >= smallest
}

// settleSpeaking notes that the guest has stopped speaking, if that is so.
func (g *guest) settleSpeaking(now time.Time) {
	if now.UnixNano()-g.voice.last.Load() > int64(quietAfter) && g.voice.on.CompareAndSwap(true, false) {
		g.room.tellAll(speakingMessage{"speaking", g.name, false})
	}
}
