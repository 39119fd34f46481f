package engine

import (
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// maxRecording bounds the sound that is kept of one utterance, in samples: one minute. Later sound is
// dropped.
const maxRecording = 60 * audio.SampleRate

// Recording is the sound of one utterance, mono at audio.SampleRate, during and after the utterance. It is
// safe for concurrent use; only one goroutine may append to it.
type Recording struct {
	mu      sync.Mutex // guards the fields below
	samples []int16
	ended   bool
	full    bool          // sound was dropped
	changed chan struct{} // closed and replaced on each change
}

// NewRecording returns an empty recording.
func NewRecording() *Recording { return &Recording{changed: make(chan struct{})} }

// Append adds a copy of samples. It never blocks. Sound after the first minute is dropped.
func (r *Recording) Append(samples []int16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := maxRecording - len(r.samples)
	r.full = r.full || len(samples) > room
	r.samples = append(r.samples, samples[:min(len(samples), room)]...)
	r.announce()
}

// IsComplete reports whether no sound of the utterance was dropped.
func (r *Recording) IsComplete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.full
}

// End records that the player has stopped speaking. If the player goes on, call Reopen.
func (r *Recording) End() { r.setEnded(true) }

// Reopen records that the player goes on.
func (r *Recording) Reopen() { r.setEnded(false) }

func (r *Recording) setEnded(ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = ended
	r.announce()
}

func (r *Recording) announce() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// From returns the sound from a position on, which must not be changed, whether the player has stopped
// speaking, and a channel that is closed on the next change.
func (r *Recording) From(place int) (samples []int16, ended bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.samples)
	return r.samples[min(place, n):n:n], r.ended, r.changed
}
