package chain

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// maxAgain is the maximum length of a resumed utterance whose audio is sent again to a provider that
// transcribes each utterance as a whole. It limits the cost of asking too early. For longer ones, the
// transcripts follow each other.
const maxAgain = 10 * time.Second

var _ stt.Resumer = (*stream)(nil)

// Resume implements [stt.Resumer].
func (s *stream) Resume() { s.resumed.Store(int64(s.audio.Finished())) }

// rememberEnded remembers an utterance that has just finished if its audio would have to be sent again on Resume.
func (s *stream) rememberEnded(u *utterance) {
	if s.leg == nil || u.droppedSamples > 0 || len(u.sound) > vendor.Rate*int(maxAgain.Seconds()) {
		return
	}
	if _, whole := s.leg.stream.(stt.Discarder); whole {
		s.ended = u
	}
}

// newUtterance returns the next utterance. If it resumes the last one and the provider has no memory of
// earlier audio, it includes the last one's audio.
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
