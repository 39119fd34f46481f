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
	// bitrate is the Opus bitrate for NPCs' voices, in bits per second.
	bitrate = 64000
	// spurtGap without a frame ends a talk spurt.
	spurtGap = 60 * time.Millisecond
	// silences end a spurt, so that decoders do not conceal the missing frames.
	silences = 5
	// keepAlive is the interval of keep-alives.
	keepAlive = 5 * time.Second
	// maxUnechoed bounds the consecutive keep-alives without an echo.
	maxUnechoed = 4
	// speakingTimeout is how long the first frame waits for the server to learn that the bot speaks. Until
	// then, the server drops its packets.
	speakingTimeout = 250 * time.Millisecond
	// slack is how late a frame may be before it counts as late.
	slack = 5 * time.Millisecond
)

// speaking passes the sender's speaking state to the gateway.
type speaking struct {
	on    atomic.Bool
	ready chan struct{} // one token: state changed
	done  chan struct{} // one token: state sent
	gate  chan struct{} // one token: the encryption changed; for the sender
}

func (s *speaking) acknowledge()       { wakeup.Signal(s.done) }
func (s *speaking) encryptionChanged() { wakeup.Signal(s.gate) }

// sendState sends the state to the gateway. When speaking begins, it waits up to speakingTimeout.
func (s *speaking) sendState(ctx context.Context, on bool) {
	select {
	case <-s.done: // left from a call that did not wait
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

// spurt is the state of a talk spurt.
type spurt uint8

const (
	quiet    spurt = iota // exit: a frame (talking)
	talking               // exit: no frame for spurtGap (trailing)
	trailing              // sending silence; exits: a frame (talking), enough silence (quiet)
)

// sender encodes, encrypts and sends frames. Only one goroutine uses it. It accepts no frames while they
// cannot be encrypted as the others expect.
type sender struct {
	s         *session
	udp       net.Conn
	encoder   opus.Encoder
	header    Header
	payload   []byte
	encrypted []byte
	packet    []byte

	spurt             spurt
	silenceFramesLeft int         // trailing: remaining frames of silence
	sentAt            time.Time   // time of the last frame
	due               time.Time   // when the next frame is due
	next              *time.Timer // end of a spurt, or its next frame of silence
	keepAliveTimer    *time.Timer // next keep-alive
	beaten            uint32      // number of keep-alives sent
}

func newSender(s *session, udp net.Conn, ssrc uint32) (*sender, error) {
	library := s.c.opts.Opus
	if library == nil {
		var err error
		if library, err = opus.Load(); err != nil {
			return nil, err
		}
	}
	encoder, err := opus.NewEncoder(library, &opus.EncoderOptions{Bitrate: bitrate, Audio: true}) // with redundancy against packet loss
	if err != nil {
		return nil, err
	}
	return &sender{
		s: s, udp: udp, encoder: encoder,
		header: Header{PayloadType: PayloadType, SSRC: ssrc, Sequence: uint16(rand.Uint32()), Timestamp: rand.Uint32()},
		next:   newStoppedTimer(), keepAliveTimer: time.NewTimer(keepAlive),
	}, nil
}

// run sends until ctx ends.
func (tx *sender) run(ctx context.Context) {
	defer tx.next.Stop()
	defer tx.keepAliveTimer.Stop()
	for {
		frames := tx.s.c.frames
		if !tx.s.maySend() {
			frames = nil // Write blocks
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
		case <-tx.keepAliveTimer.C:
			tx.keepAlive()
		case <-tx.s.speaking.gate:
		}
	}
}

// sendFrame sends 20 ms of sound and reports whether it succeeded.
func (tx *sender) sendFrame(ctx context.Context, f *audio.Frame) bool {
	if !tx.s.dave.Ready() {
		return false // no one else is in the channel
	}
	payload, err := tx.encoder.Encode(tx.payload[:0], f)
	if err != nil {
		tx.s.c.count.sentDropped.Add(1)
		tx.s.c.opts.Logger.Warn("sound left out", "error", err)
		return false
	}
	tx.payload = payload
	if tx.spurt == quiet {
		tx.s.speaking.sendState(ctx, true)
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

// encryptSound encrypts an Opus frame end to end and sends it. It reports whether it succeeded.
func (tx *sender) encryptSound(payload []byte) bool {
	tx.encrypted = slices.Grow(tx.encrypted[:0], tx.s.dave.MaxEncryptedFrameSize(len(payload)))
	n, err := tx.s.dave.Encrypt(tx.header.SSRC, payload, tx.encrypted[:cap(tx.encrypted)])
	if err != nil {
		tx.s.c.count.sentDropped.Add(1)
		return false
	}
	return tx.sendPayload(tx.encrypted[:n])
}

// sendPayload sends a transport-encrypted packet. It reports whether it succeeded.
func (tx *sender) sendPayload(payload []byte) bool {
	count := &tx.s.c.count
	tx.header.Timestamp += FrameSamples * tx.framesSince(time.Now())
	packet, err := tx.s.transport.Load().seal.Seal(tx.packet[:0], tx.header, payload)
	if err != nil {
		count.sentDropped.Add(1)
		if errors.Is(err, ErrExhausted) {
			tx.s.fail(errors.New("the encryption key for sound is used up; the bot is asking for a new one"))
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

// framesSince returns the frame periods since the last sent frame. Within a spurt it is one, however late the
// frame is.
func (tx *sender) framesSince(now time.Time) uint32 {
	passed := now.Sub(tx.sentAt)
	tx.sentAt = now
	if passed < spurtGap {
		return 1
	}
	return uint32(passed.Round(audio.FrameDuration) / audio.FrameDuration)
}

// endSpurt sends the next frame of silence. After the last one, it reports that the bot has stopped speaking.
func (tx *sender) endSpurt(ctx context.Context) {
	if tx.spurt == talking {
		tx.spurt, tx.silenceFramesLeft = trailing, silences
	}
	if tx.silenceFramesLeft > 0 {
		tx.silenceFramesLeft--
		tx.sendPayload([]byte(Silence)) // unencrypted; the server and all clients accept it
		tx.next.Reset(audio.FrameDuration)
		return
	}
	tx.spurt = quiet
	tx.s.speaking.sendState(ctx, false)
}

// keepAlive keeps the path through routers open. If the server used to echo keep-alives and no longer does,
// the session fails.
func (tx *sender) keepAlive() {
	if back := tx.s.echoed.Load(); back > 0 && tx.beaten >= back+maxUnechoed {
		tx.s.fail(errors.New("the voice server of Discord no longer answers over UDP"))
	}
	tx.beaten++
	tx.s.beatenAt.Store(time.Now().UnixNano())
	_, _ = tx.udp.Write(AppendKeepAlive(nil, tx.beaten)) // a lost one does not matter
	tx.keepAliveTimer.Reset(keepAlive)
}
