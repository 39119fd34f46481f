package gptlive

import (
	"context"
	"encoding/base64"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// piece is the maximum number of samples per message, of audio and of silence. The service is known to
	// fail on large messages.
	piece = rate / 10
	// pause is how long a turn may be without audio before silence is sent instead, so that audio that is
	// merely late is not torn apart.
	pause = 200 * time.Millisecond
	// afterthought is the silence after a turn's audio before the input is muted, so that no word is cut.
	afterthought = 3 * piece
	// maxQueued is the maximum number of queued samples (30 s).
	maxQueued = 30 * rate
	// lead is how far a turn's audio may be sent ahead of real time. It is sent ahead because it is known
	// late that the audio is meant for the service, which may listen faster than people speak.
	lead = 5 * time.Second
	// behind is how much sent audio the service may still have to process, judging by the audio it returned,
	// and still count as waiting for more.
	behind = 3 * piece
	// asleep is how far real time may advance, as on a suspended machine, before missed silence is skipped.
	asleep = 2 * time.Second
)

// feed is the audio sent to the service. It is safe for concurrent use.
type feed struct {
	wake chan struct{} // holds one token if there may be something to send

	mu        sync.Mutex // guards the fields below
	queue     []int16    // audio to send, oldest first
	open      bool       // a turn is in progress
	muted     bool       // as told to the service
	quiet     int        // samples of silence sent since the last audio
	due       time.Time  // when the sent audio ends in real time; zero at first
	sent      int64      // samples in total
	received  int64      // samples from the service, which runs on the time of its input
	lastAdded time.Time  // when audio was last added
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1), quiet: afterthought} }

// recordOutput records how much audio the service sent.
func (f *feed) recordOutput(samples int) {
	f.mu.Lock()
	f.received += int64(samples)
	f.mu.Unlock()
	wakeup.Signal(f.wake)
}

// setTurn starts or ends a turn.
func (f *feed) setTurn(open bool) {
	f.mu.Lock()
	f.open = open
	f.mu.Unlock()
	wakeup.Signal(f.wake)
}

// add queues a copy of samples that arrived at now. When more than 30 s are queued, it drops the oldest.
func (f *feed) add(samples []int16, now time.Time) {
	f.mu.Lock()
	f.queue = append(f.queue, samples...)
	if over := len(f.queue) - maxQueued; over > 0 {
		f.queue = append(f.queue[:0], f.queue[over:]...)
	}
	f.lastAdded = now
	f.mu.Unlock()
	wakeup.Signal(f.wake)
}

// order is what to do next: change the mute, send samples, or wait.
type order struct {
	mute, unmute bool
	samples      []int16
	wait         time.Duration
}

// silence is a piece of silence.
var silence [piece]int16

// next returns the messages due at now. It fills samples from buf.
func (f *feed) next(now time.Time, buf []int16) order {
	f.mu.Lock()
	defer f.mu.Unlock()
	ahead := f.due.Sub(now)
	if f.due.IsZero() || ahead < -asleep || ahead > 0 && f.received > 0 && f.sent-f.received <= behind {
		f.due, ahead = now, 0 // at the start, after sleep, or when the service has processed everything
	}
	switch {
	case f.muted && (f.open || len(f.queue) > 0):
		f.muted = false
		return order{unmute: true}
	case len(f.queue) > 0 && ahead < lead:
		n := copy(buf, f.queue[:min(len(f.queue), piece)])
		f.queue = append(f.queue[:0], f.queue[n:]...)
		f.pass(n)
		f.quiet = 0
		return order{samples: buf[:n]}
	case len(f.queue) > 0:
		return order{wait: ahead - lead + time.Millisecond}
	case !f.muted && !f.open && f.quiet >= afterthought:
		f.muted = true
		return order{mute: true}
	}
	wait := ahead + audio.Duration(piece, rate)
	if f.open {
		wait = max(wait, pause-now.Sub(f.lastAdded))
	}
	if wait > 0 {
		return order{wait: wait}
	}
	f.pass(piece)
	f.quiet += piece
	return order{samples: silence[:]}
}

// pass counts sent samples. The caller must hold f.mu.
func (f *feed) pass(samples int) {
	f.sent += int64(samples)
	f.due = f.due.Add(audio.Duration(samples, rate))
}

// run sends due messages until ctx or the connection ends.
func (f *feed) run(ctx context.Context, s *session) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	buf, raw := make([]int16, piece), []byte(nil)
	for ctx.Err() == nil {
		o := f.next(time.Now(), buf)
		var err error
		switch {
		case o.mute:
			err = s.send(ctx, command{Type: "session.input_audio.mute"})
		case o.unmute:
			err = s.send(ctx, command{Type: "session.input_audio.unmute"})
		case len(o.samples) > 0:
			raw = appendAudio(raw[:0], o.samples)
			err = s.write(ctx, raw)
		default:
			timer.Reset(o.wait)
			select {
			case <-timer.C:
			case <-f.wake:
			case <-ctx.Done():
			}
		}
		if err != nil {
			return // the reader learns why
		}
	}
}

// appendAudio appends to dst the message that carries samples.
func appendAudio(dst []byte, samples []int16) []byte {
	dst = append(dst, `{"type":"session.input_audio.append","audio":"`...)
	var bytes [2 * piece]byte
	dst = base64.StdEncoding.AppendEncode(dst, audio.AppendS16LE(bytes[:0], samples))
	return append(dst, `"}`...)
}
