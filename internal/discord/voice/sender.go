package voice

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

const (
	// bitrate suits an NPC's voice, in bits per second.
	bitrate = 64000
	// spurtGap without a frame is the end of a spurt of talk.
	spurtGap = 60 * time.Millisecond
	// silences end a spurt, so that nobody's decoder fills in what does not come.
	silences = 5
	// keepAlive is how often the way for sound is kept open.
	keepAlive = 5 * time.Second
	// maxUnechoed keep-alives in a row may be lost.
	maxUnechoed = 4
	// speakingTimeout is how long the first frame waits until the server knows
	// that the bot speaks; before, it drops what it gets.
	speakingTimeout = 250 * time.Millisecond
	// slack is how late a frame may be without counting as late.
	slack = 5 * time.Millisecond
)

// speaking is how the sender has the gateway told that the bot speaks.
type speaking struct {
	on    atomic.Bool
	ready chan struct{} // one token: tell it
	done  chan struct{} // one token: it was told
	gate  chan struct{} // one token: the encryption changed; the sender's
}

func (s *speaking) acknowledge()       { wakeup.Signal(s.done) }
func (s *speaking) encryptionChanged() { wakeup.Signal(s.gate) }

// tell has the gateway told, and waits for it, not long.
func (s *speaking) tell(ctx context.Context, on bool) {
	select {
	case <-s.done: // of a telling nobody waited for
	default:
	}
	s.on.Store(on)
	wakeup.Signal(s.ready)
	if !on {
		return
	}
	timer := time.NewTimer(speakingTimeout)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// spurt is whether the bot talks.
type spurt uint8

const (
	quiet    spurt = iota // exit: a frame (talking)
	talking               // exit: no frame for spurtGap (ending)
	trailing              // silence is being sent; exits: a frame (talking), enough silence (quiet)
)

// sender encodes, encrypts and sends frames. It belongs to one goroutine, which
// takes no frame while it cannot be sent as the others expect it.
type sender struct {
	s         *session
	udp       net.Conn
	encoder   opus.Encoder
	header    Header
	payload   []byte
	encrypted []byte
	packet    []byte

	spurt  spurt
	left   int         // trailing: frames of silence still to be sent
	sentAt time.Time   // the last frame
	due    time.Time   // of the frame after that
	next   *time.Timer // the end of a spurt, or its next frame of silence
	alive  *time.Timer // the next keep-alive
	beaten uint32      // keep-alives sent
}

func newSender(s *session, udp net.Conn, ssrc uint32) (*sender, error) {
	library := s.c.opts.Opus
	if library == nil {
		var err error
		if library, err = opus.Load(); err != nil {
			return nil, err
		}
	}
	encoder, err := opus.NewEncoder(library, &opus.EncoderOptions{Bitrate: bitrate, Audio: true}) // with copies against loss
	if err != nil {
		return nil, err
	}
	return &sender{
		s: s, udp: udp, encoder: encoder,
		header: Header{PayloadType: PayloadType, SSRC: ssrc, Sequence: uint16(rand.Uint32()), Timestamp: rand.Uint32()},
		next:   newStoppedTimer(), alive: time.NewTimer(keepAlive),
	}, nil
}

// run sends until ctx ends.
func (tx *sender) run(ctx context.Context) {
	defer tx.next.Stop()
	defer tx.alive.Stop()
	for {
		frames := tx.s.c.frames
		if !tx.s.maySend() {
			frames = nil // who writes waits
		}
		select {
		case <-ctx.Done():
			return
		case w := <-frames:
			if tx.sendFrame(ctx, &w.frame) {
				tx.s.c.opts.Sent(time.Since(w.at))
			}
		case <-tx.next.C:
			tx.endSpurt(ctx)
		case <-tx.alive.C:
			tx.keepAlive()
		case <-tx.s.speaking.gate:
		}
	}
}

// sendFrame sends 20 ms of sound and reports whether that went well.
func (tx *sender) sendFrame(ctx context.Context, f *audio.Frame) bool {
	if !tx.s.dave.Ready() {
		return false // nobody is there to hear it
	}
	payload, err := tx.encoder.Encode(tx.payload[:0], f)
	if err != nil {
		tx.s.c.count.sentDropped.Add(1)
		tx.s.c.opts.Logger.Warn("sound left out", "error", err)
		return false
	}
	tx.payload = payload
	if tx.spurt == quiet {
		tx.s.speaking.tell(ctx, true)
	}
	now := time.Now()
	switch late := now.Sub(tx.due); {
	case tx.spurt != talking || late >= spurtGap:
		tx.due = now
	case late > slack:
		tx.s.c.count.sentLate.Add(1)
		tx.due = now
	}
	tx.spurt = talking
	tx.due = tx.due.Add(audio.FrameDuration)
	sent := tx.encryptSound(payload)
	tx.next.Reset(spurtGap)
	return sent
}

// encryptSound encrypts Opus from end to end and sends it. It reports whether that
// went well.
func (tx *sender) encryptSound(payload []byte) bool {
	tx.encrypted = slices.Grow(tx.encrypted[:0], tx.s.dave.MaxEncryptedFrameSize(len(payload)))
	n, err := tx.s.dave.Encrypt(tx.header.SSRC, payload, tx.encrypted[:cap(tx.encrypted)])
	if err != nil {
		tx.s.c.count.sentDropped.Add(1)
		return false
	}
	return tx.sendPayload(tx.encrypted[:n])
}

// sendPayload sends a packet, encrypted on the way to Discord. It reports whether
// that went well.
func (tx *sender) sendPayload(payload []byte) bool {
	count := &tx.s.c.count
	tx.header.Timestamp += FrameSamples * tx.framesSince(time.Now())
	packet, err := tx.s.transport.Load().seal.Seal(tx.packet[:0], tx.header, payload)
	if err != nil {
		count.sentDropped.Add(1)
		if errors.Is(err, ErrExhausted) {
			tx.s.fail(errors.New("the key for sound is used up; a new one is asked for"))
		}
		return false
	}
	tx.packet = packet
	tx.header.Sequence++
	if _, err := tx.udp.Write(packet); err != nil {
		count.sentDropped.Add(1)
		return false
	}
	count.sent.Add(1)
	return true
}

// framesSince returns how many frames of time passed since the last one was sent.
// Within a spurt that is one, however late it is.
func (tx *sender) framesSince(now time.Time) uint32 {
	passed := now.Sub(tx.sentAt)
	tx.sentAt = now
	if passed < spurtGap {
		return 1
	}
	return uint32(passed.Round(audio.FrameDuration) / audio.FrameDuration)
}

// endSpurt sends the next frame of silence, and says after the last that the bot
// has stopped speaking.
func (tx *sender) endSpurt(ctx context.Context) {
	if tx.spurt == talking {
		tx.spurt, tx.left = trailing, silences
	}
	if tx.left > 0 {
		tx.left--
		tx.sendPayload([]byte(Silence)) // in the clear, as all clients take it and the server knows it
		tx.next.Reset(audio.FrameDuration)
		return
	}
	tx.spurt = quiet
	tx.s.speaking.tell(ctx, false)
}

// keepAlive keeps the way for sound open through routers on it. Where keep-alives
// used to come back and do not any more, the session fails.
func (tx *sender) keepAlive() {
	if back := tx.s.echoed.Load(); back > 0 && tx.beaten >= back+maxUnechoed {
		tx.s.fail(errors.New("nothing comes back by UDP from Discord's voice server any more"))
	}
	tx.beaten++
	tx.s.beatenAt.Store(time.Now().UnixNano())
	_, _ = tx.udp.Write(AppendKeepAlive(nil, tx.beaten)) // the next one may get through
	tx.alive.Reset(keepAlive)
}
