package vendor

// The stt_flow files hold what every speech recognition stream consists of: a bounded input queue of audio, a
// mailbox of transcripts, and the conversion to the provider's sample rate. They start no goroutine.

import (
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Audio is a queue of samples with marks at the ends of utterances. It grows up to a limit and then drops the
// oldest samples, but never a mark. It is safe for concurrent use by one sender and one receiver.
type Audio struct {
	limit int
	wake  chan struct{} // holds one token if there may be something to take

	mu      sync.Mutex // guards the fields below
	ring    []int16
	head, n int
	at      int64   // position of the oldest sample since the start
	marks   []int64 // positions, ascending
	number  int     // of the utterance being sent
	dropped int64
	err     error
}

// NewAudio returns an empty queue of at most limit samples.
func NewAudio(limit int) *Audio {
	return &Audio{limit: limit, wake: make(chan struct{}, 1), marks: make([]int64, 0, stt.MaxPending)}
}

// Push appends a copy of samples. It never blocks.
func (a *Audio) Push(samples []int16) error {
	a.mu.Lock()
	if a.err != nil {
		defer a.mu.Unlock()
		return a.err
	}
	if over := len(samples) - a.limit; over > 0 {
		a.dropOldest(a.n)
		a.dropped += int64(over)
		a.at += int64(over)
		samples = samples[over:]
	}
	a.dropOldest(a.n + len(samples) - a.limit)
	a.growRing(a.n + len(samples))
	tail := (a.head + a.n) % len(a.ring)
	copied := copy(a.ring[tail:], samples)
	copy(a.ring, samples[copied:])
	a.n += len(samples)
	a.mu.Unlock()
	wakeup.Signal(a.wake)
	return nil
}

// dropOldest drops the n oldest samples, if n is positive, and counts them.
func (a *Audio) dropOldest(n int) {
	if n <= 0 {
		return
	}
	a.skipOldest(n)
	a.dropped += int64(n)
}

func (a *Audio) skipOldest(n int) {
	if n > 0 {
		a.head = (a.head + n) % len(a.ring)
		a.n -= n
		a.at += int64(n)
	}
}

// growRing makes room for n samples in total, at least one.
func (a *Audio) growRing(n int) {
	if n <= len(a.ring) && len(a.ring) > 0 {
		return
	}
	ring := make([]int16, min(max(2*len(a.ring), n, 4096), max(a.limit, 1)))
	if a.n > 0 {
		first := copy(ring[:a.n], a.ring[a.head:])
		copy(ring[first:a.n], a.ring)
	}
	a.ring, a.head = ring, 0
}

// Finish ends the current utterance and returns its number. It returns [stt.ErrBusy] while MaxPending
// utterances have no final transcript fetched from results.
func (a *Audio) Finish(results *Results) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return 0, a.err
	}
	if results.Pending(a.number) >= stt.MaxPending {
		return 0, stt.ErrBusy
	}
	a.marks = append(a.marks, a.at+int64(a.n))
	a.number++
	wakeup.Signal(a.wake)
	return a.number - 1, nil
}

// Finished returns the number of utterances ended so far.
func (a *Audio) Finished() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.number
}

// Pop moves the oldest samples up to the next mark to dst. It reports whether it reached the mark, and
// removes the mark in that case. If it returns neither samples nor a mark, the queue is empty; wait for
// [Audio.Wake].
func (a *Audio) Pop(dst []int16) (n int, mark bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n = min(len(dst), a.n)
	if len(a.marks) > 0 {
		n = min(n, int(max(0, a.marks[0]-a.at)))
	}
	if n > 0 {
		first := copy(dst[:n], a.ring[a.head:])
		copy(dst[first:n], a.ring)
		a.skipOldest(n)
	}
	if len(a.marks) > 0 && a.at >= a.marks[0] {
		a.marks = append(a.marks[:0], a.marks[1:]...)
		mark = true
	}
	return n, mark
}

// Ready returns a channel that has a token if something arrived since the last token was taken.
func (a *Audio) Ready() <-chan struct{} { return a.wake }

// Fail makes Push and Finish return err from now on. Only the first error counts.
func (a *Audio) Fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

// Dropped returns the number of samples dropped.
func (a *Audio) Dropped() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.dropped
}
