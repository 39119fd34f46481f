package table

import (
	"sync"

	"github.com/MrWong99/glyphoxa/internal/engine"
)

// recorder keeps the sound of a player's last utterances, for engines that listen
// to it themselves. It is safe for concurrent use.
type recorder struct {
	mu   sync.Mutex // guards the field below
	last []recorded // oldest first
}

type recorded struct {
	utterance uint64
	sound     *engine.Recording
}

// appendSound adds to an utterance.
func (r *recorder) appendSound(utterance uint64, frame []int16) {
	r.recordingOf(utterance).Append(frame)
}

// recordingOf returns the sound of an utterance. Those that cannot be continued any
// more are forgotten.
func (r *recorder) recordingOf(utterance uint64) *engine.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.last {
		if k.utterance == utterance {
			return k.sound
		}
	}
	k := recorded{utterance, engine.NewRecording()}
	if len(r.last) == maxPassages {
		copy(r.last, r.last[1:])
		r.last = r.last[:maxPassages-1]
	}
	r.last = append(r.last, k)
	return k.sound
}
