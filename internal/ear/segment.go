package ear

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// budget bounds the time from the end of a segment to its Final.
const budget = stt.DefaultBudget

// segment is a part of an utterance, from its onset, or from where the speaker
// went on, to an end. It is open, then ended; then its transcript was asked for,
// or it is done at once.
type segment struct {
	utterance uint64
	index     int
	last      stt.Result

	ended    time.Time // when it counted as ended; zero while it is open
	at       time.Time // the end of voicing
	endpoint time.Duration
	speech   time.Duration

	wait *stt.Wait // since it was asked for
	done bool      // the outcome is known
	text string
	sure bool
	err  error
	took time.Duration
}

// startWait notes that the stream was asked for the transcript of a number.
func (s *segment) startWait(number int, now time.Time) {
	s.wait = stt.NewWait(number, now, stt.UtteranceOptions{Budget: s.ended.Add(budget).Sub(now), Last: s.last})
}

// finishSegment notes the outcome.
func (s *segment) finishSegment(r stt.Result, err error, now time.Time) {
	s.done, s.text, s.sure, s.err, s.took = true, r.Text, !r.Assumed, err, now.Sub(s.ended)
}

// failSegment notes that there is no transcript, only the last interim one.
func (s *segment) failSegment(err error, now time.Time) {
	r := s.last
	if s.wait != nil {
		r = s.wait.Assumed()
	}
	r.Assumed = r.Text != ""
	s.finishSegment(r, err, now)
}

// expireSegment decides what becomes of the segment if that is due.
func (s *segment) expireSegment(now time.Time) {
	if s.done || now.Before(s.wait.Due()) {
		return
	}
	if r, err, done := s.wait.Expire(now); done {
		s.finishSegment(r, err, now)
	}
}

// newEvent returns what there is to tell of the segment.
func (s *segment) newEvent(kind Kind) Event {
	return Event{Kind: kind, Utterance: s.utterance, Segment: s.index, At: s.at, Endpoint: s.endpoint, Speech: s.speech}
}

// finalEvent returns the segment's Final.
func (s *segment) finalEvent() Event {
	e := s.newEvent(Final)
	e.Took, e.Text, e.Assumed, e.Err = s.took, s.text, !s.sure, s.err
	return e
}
