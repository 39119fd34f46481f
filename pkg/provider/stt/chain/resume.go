package chain

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// maxAgain is how long an utterance may be that is sent once more because it goes on,
// to a provider that transcribes each as a whole. What it costs to ask too early is
// bounded by that; the transcripts of longer ones follow each other.
const maxAgain = 10 * time.Second

var _ stt.Resumer = (*stream)(nil)

// Resume implements [stt.Resumer].
func (s *stream) Resume() { s.resumed.Store(int64(s.audio.Finished())) }

// keepEnded keeps an utterance that has just been finished, if its sound would have to
// be sent again.
func (s *stream) keepEnded(u *utterance) {
	if s.leg == nil || u.forgotten > 0 || len(u.sound) > vendor.Rate*int(maxAgain.Seconds()) {
		return
	}
	if _, whole := s.leg.stream.(stt.Discarder); whole {
		s.ended = u
	}
}

// newUtterance returns the next utterance. One that goes on where the last ended
// takes its sound over if its provider knows nothing of what was before.
func (s *stream) newUtterance() *utterance {
	u, ended := &utterance{number: s.next}, s.ended
	s.next++
	s.ended = nil
	if ended == nil || s.leg == nil || u.number == 0 || s.resumed.Load() != int64(u.number) {
		return u
	}
	discarder, whole := s.leg.stream.(stt.Discarder)
	if !whole {
		return u
	}
	u.sound, u.before = ended.sound, ended.before+1
	if i := slices.Index(s.waiting, ended); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		if n := slices.Index(s.leg.numbers, ended.number); n >= 0 {
			discarder.Discard(n)
		}
	}
	return u
}
