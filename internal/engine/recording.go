package engine

import (
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// maxRecording bounds what is kept of one utterance, in samples: a minute. What is
// said after that is not heard.
const maxRecording = 60 * audio.SampleRate

// Recording is the sound of one utterance, mono at audio.SampleRate, while it is
// being spoken and afterwards. It is safe for concurrent use; one goroutine
// appends to it.
type Recording struct {
	mu      sync.Mutex // guards the fields below
	samples []int16
	ended   bool
	full    bool          // more was said than it holds
	changed chan struct{} // closed and replaced with each change
}

// NewRecording returns an empty recording.
func NewRecording() *Recording { return &Recording{changed: make(chan struct{})} }

// Append adds a copy of samples. It never blocks; what exceeds a minute is
// dropped.
func (r *Recording) Append(samples []int16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := maxRecording - len(r.samples)
	r.full = r.full || len(samples) > room
	r.samples = append(r.samples, samples[:min(len(samples), room)]...)
	r.announce()
}

// IsWhole reports whether nothing of the utterance was dropped.
func (r *Recording) IsWhole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.full
}

// End says that the player has ended. A player who goes on after all is taken in
// by Reopen.
func (r *Recording) End() { r.setEnded(true) }

// Reopen says that the player goes on.
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

// From returns the sound from a place on, which must not be changed, whether the
// player has ended, and what is closed once there is more to know.
func (r *Recording) From(place int) (samples []int16, ended bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.samples)
	return r.samples[min(place, n):n:n], r.ended, r.changed
}
