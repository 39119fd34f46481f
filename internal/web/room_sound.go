package web

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

const (
	// bitrate is the Opus bitrate for NPCs' voices, in bits per second.
	bitrate = 64000
	// spurtGap without a frame ends a talk spurt.
	spurtGap = 60 * time.Millisecond
	// silences end a spurt, so that browsers do not conceal the missing packets.
	silences = 5
)

// silence is an Opus packet of 20 ms of silence.
var silence = []byte{0xf8, 0xff, 0xfe}

// outgoing is a frame waiting to be sent.
type outgoing struct {
	sound audio.Frame
	at    time.Time // when Write was called
}

// Unheard reports whether no one can hear the NPCs here now.
func (r *Room) Unheard() bool {
	p := r.opened.Load()
	return p == nil || p.library == nil || len(*r.here.Load()) == 0
}

// Write implements [mixer.Outlet]. It blocks while two frames are waiting to be sent.
func (r *Room) Write(ctx context.Context, frame *audio.Frame) error {
	if r.Unheard() {
		return nil
	}
	select {
	case mine := <-r.freeFrames:
		mine.sound, mine.at = *frame, time.Now()
		select {
		case r.frames <- mine:
			return nil
		case <-ctx.Done():
			r.freeFrames <- mine
		}
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// sendSound encodes each frame of the NPCs' sound once and sends it to all guests, until ctx ends. It sends
// nothing during silence.
func (r *Room) sendSound(ctx context.Context) error {
	s := &sender{timestamp: rand.Uint32(), sequence: uint16(rand.Uint32()), next: time.NewTimer(0)}
	<-s.next.C
	defer s.next.Stop()
	for {
		select {
		case f := <-r.frames:
			p, err := r.parts()
			if err == nil {
				err = s.send(p, &f.sound)
			}
			at := f.at
			r.freeFrames <- f
			if err != nil {
				r.o.Logger.Warn("sound left out", "reason", err)
				continue
			}
			if r.o.Sent != nil {
				r.o.Sent(time.Since(at))
			}
		case <-s.next.C:
			if p := r.opened.Load(); p != nil {
				s.endSpurt(p.npc)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// sender turns frames into packets. Only one goroutine uses it.
type sender struct {
	encoder   opus.Encoder // nil before the first frame
	payload   []byte
	sequence  uint16
	timestamp uint32
	last      time.Time   // when the last packet was sent
	trailing  int         // remaining packets of silence
	next      *time.Timer // end of a spurt, or its next packet of silence
}

func (s *sender) send(p *parts, f *audio.Frame) (err error) {
	if s.encoder == nil {
		if s.encoder, err = opus.NewEncoder(p.library, &opus.EncoderOptions{Bitrate: bitrate, Audio: true}); err != nil {
			return err
		}
	}
	if s.payload, err = s.encoder.Encode(s.payload[:0], f); err != nil {
		return err
	}
	s.trailing = silences
	s.sendPayload(p.npc, s.payload)
	s.next.Reset(spurtGap)
	return nil
}

// sendPayload sends a packet to all guests. An unreachable guest is detected by its own connection.
func (s *sender) sendPayload(to *webrtc.TrackLocalStaticRTP, payload []byte) {
	now := time.Now()
	begins := now.Sub(s.last) >= spurtGap
	frames := uint32(1) // within a spurt, however late the frame is
	if begins && !s.last.IsZero() {
		frames = uint32(max(1, now.Sub(s.last).Round(audio.FrameDuration)/audio.FrameDuration))
	}
	s.last = now
	s.sequence++
	s.timestamp += frames * samplesPerFrame
	_ = to.WriteRTP(&rtp.Packet{
		Header:  rtp.Header{Version: 2, Marker: begins, SequenceNumber: s.sequence, Timestamp: s.timestamp},
		Payload: payload,
	})
}

// endSpurt sends the next packet of silence after a spurt.
func (s *sender) endSpurt(to *webrtc.TrackLocalStaticRTP) {
	if s.trailing == 0 {
		return
	}
	s.trailing--
	s.sendPayload(to, silence)
	s.next.Reset(audio.FrameDuration)
}
