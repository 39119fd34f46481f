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
	// piece is how much sound one message holds at most, and how much silence. The
	// service is known to stumble over large ones.
	piece = rate / 10
	// pause is how long a turn may be without sound before silence is put in its
	// place: sound that is only late must not be torn apart.
	pause = 200 * time.Millisecond
	// afterthought is how much silence follows a turn's sound before the input is
	// muted, so that no word is cut.
	afterthought = 3 * piece
	// maxQueued is how much sound may wait to be sent (30 s).
	maxQueued = 30 * rate
	// lead is how far ahead of real time a turn's sound may be sent: it is known late
	// that it was meant, and the service may hear faster than people speak.
	lead = 5 * time.Second
	// behind is how much of what was sent the service may still have before it, by
	// the sound that came back, and count as waiting for more.
	behind = 3 * piece
	// asleep is how far real time may run away, as on a machine that was suspended,
	// before what was missed is left out.
	asleep = 2 * time.Second
)

// feed is the sound that goes to the service. It is safe for concurrent use.
type feed struct {
	wake chan struct{} // holds one token if there may be something to send

	mu    sync.Mutex // guards the fields below
	queue []int16    // sound that waits, oldest first
	open  bool       // a turn is under way
	muted bool       // what the service was told
	quiet int        // samples of silence sent since the last sound
	due   time.Time  // when what was sent has passed in real time; zero at first
	sent  int64      // samples in all
	came  int64      // samples of the service, which speaks on the time of its input
	fresh time.Time  // when sound came last
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1), quiet: afterthought} }

// noteOutput notes how much sound came from the service.
func (f *feed) noteOutput(samples int) {
	f.mu.Lock()
	f.came += int64(samples)
	f.mu.Unlock()
	wakeup.Signal(f.wake)
}

// setTurn opens or ends a turn.
func (f *feed) setTurn(open bool) {
	f.mu.Lock()
	f.open = open
	f.mu.Unlock()
	wakeup.Signal(f.wake)
}

// add queues sound that came at now, which it copies. When 30 s of it wait the
// oldest is dropped.
func (f *feed) add(samples []int16, now time.Time) {
	f.mu.Lock()
	f.queue = append(f.queue, samples...)
	if over := len(f.queue) - maxQueued; over > 0 {
		f.queue = append(f.queue[:0], f.queue[over:]...)
	}
	f.fresh = now
	f.mu.Unlock()
	wakeup.Signal(f.wake)
}

// order is what is to be sent next: a change of the mute, samples, or nothing for
// a while.
type order struct {
	mute, unmute bool
	samples      []int16
	wait         time.Duration
}

// silence is a piece of it.
var silence [piece]int16

// next takes what is due at now. It fills samples from buf.
func (f *feed) next(now time.Time, buf []int16) order {
	f.mu.Lock()
	defer f.mu.Unlock()
	ahead := f.due.Sub(now)
	if f.due.IsZero() || ahead < -asleep || ahead > 0 && f.came > 0 && f.sent-f.came <= behind {
		f.due, ahead = now, 0 // it begins, has slept, or the service has heard all
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
		wait = max(wait, pause-now.Sub(f.fresh))
	}
	if wait > 0 {
		return order{wait: wait}
	}
	f.pass(piece)
	f.quiet += piece
	return order{samples: silence[:]}
}

// pass counts samples that are sent. f.mu is held.
func (f *feed) pass(samples int) {
	f.sent += int64(samples)
	f.due = f.due.Add(audio.Duration(samples, rate))
}

// run sends what is due until ctx ends or the connection does.
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
			return // whoever reads learns why
		}
	}
}

// appendAudio appends the message that brings samples.
func appendAudio(dst []byte, samples []int16) []byte {
	dst = append(dst, `{"type":"session.input_audio.append","audio":"`...)
	var bytes [2 * piece]byte
	dst = base64.StdEncoding.AppendEncode(dst, audio.AppendS16LE(bytes[:0], samples))
	return append(dst, `"}`...)
}
