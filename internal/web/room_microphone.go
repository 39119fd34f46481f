package web

import (
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

const (
	// quietAfter is how long a guest counts as speaking after the last sound, so that others hear the ends of
	// words and short pauses.
	quietAfter = 600 * time.Millisecond
	// loudness is the threshold for speech, in dB below full scale, and smallest the minimum size of a packet
	// with speech where browsers do not report the level.
	loudness = 50
	smallest = 20
)

// speakingState records whether a guest speaks.
type speakingState struct {
	on   atomic.Bool
	last atomic.Int64 // time of the last sound, in Unix nanoseconds
	// notForwarded counts the packets that were not forwarded. The next forwarded packet starts a new stretch.
	notForwarded atomic.Uint32
}

// listen passes on the packets of a guest's microphone until the connection is closed.
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
			continue // drain until the connection is closed
		}
		if len(p.Payload) == 0 || g.muted.Load() {
			g.voice.notForwarded.Add(1)
			continue
		}
		g.handlePacket(p, level)
	}
}

// handlePacket passes a packet to the table, and to the other guests if the guest speaks.
func (g *guest) handlePacket(p *rtp.Packet, level uint8) {
	if g.seat != nil {
		g.seat.Push(ear.Packet{Seq: p.SequenceNumber, Payload: p.Payload})
	}
	now := time.Now()
	if isLoud(p, level) {
		g.voice.last.Store(now.UnixNano())
		if g.voice.on.CompareAndSwap(false, true) {
			g.room.broadcast(speakingMessage{"speaking", g.name, true})
		}
	}
	if !g.voice.on.Load() {
		g.voice.notForwarded.Add(1)
		return
	}
	for _, other := range *g.room.here.Load() {
		if other != g && !other.hasEnded() {
			other.slots.forward(g, now, p)
		}
	}
}

// isLoud reports whether a packet may contain speech.
func isLoud(p *rtp.Packet, level uint8) bool {
	if level != 0 {
		if raw := p.GetExtension(level); len(raw) == 1 {
			return raw[0]&0x7f < loudness
		}
	}
	return len(p.Payload) >= smallest
}

// detectSilence detects that the guest has stopped speaking.
func (g *guest) detectSilence(now time.Time) {
	if now.UnixNano()-g.voice.last.Load() > int64(quietAfter) && g.voice.on.CompareAndSwap(true, false) {
		g.room.broadcast(speakingMessage{"speaking", g.name, false})
	}
}
