package ear

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// budget limits the time from the end of a segment to its Final.
const budget = stt.DefaultBudget

// segment is a piece of an utterance, from its onset, or the point at which the speaker continued, to an end.
// It is open, then ended, and done once the transcripts of all its parts are known.
type segment struct {
	utterance uint64
	index     int
	parts     []*part    // parts whose transcripts were requested, oldest first
	last      stt.Result // the newest interim transcript of the sound after those

	ended    time.Time // when the end was decided; zero while it is open
	at       time.Time // the end of voicing
	endpoint time.Duration
	speech   time.Duration // voiced time of the utterance
	before   time.Duration // voiced time in earlier segments

	done      bool // the outcome is known
	text      string
	confirmed bool
	err       error
	delay     time.Duration
}

// part is a stretch of a segment for which a transcript was requested. It ends at the segment's end, or where
// that was expected.
type part struct {
	number int
	wait   *stt.Wait

	done bool
	stt.Result
	err error
}

// isNoise reports whether the segment has less voice than least, the minimum for a word.
func (s *segment) isNoise(least time.Duration) bool { return s.speech-s.before < least }

// addPart adds a part whose transcript was requested under a number.
func (s *segment) addPart(number int, now time.Time) *part {
	left := budget
	if !s.ended.IsZero() {
		left = s.ended.Add(budget).Sub(now)
	}
	p := &part{number: number, wait: stt.NewWait(number, now, stt.UtteranceOptions{Budget: left, Last: s.last})}
	s.parts, s.last = append(s.parts, p), stt.Result{}
	return p
}

// dropParts removes the parts that the transcript with a number includes.
func (s *segment) dropParts(number, before int) {
	s.parts = slices.DeleteFunc(s.parts, func(p *part) bool { return p.number < number && p.number >= number-before })
}

// words returns the transcript of the finished parts, followed by a newer text.
func (s *segment) words(newer string) string {
	var texts []string
	for _, p := range s.parts {
		if p.done && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	if newer != "" {
		texts = append(texts, newer)
	}
	return strings.Join(texts, " ")
}

// recordOutcome records the outcome if the outcomes of all parts are known.
func (s *segment) recordOutcome(now time.Time) {
	if s.done || s.ended.IsZero() {
		return
	}
	sure, err := true, error(nil)
	for _, p := range s.parts {
		if !p.done {
			return
		}
		sure, err = sure && !p.Assumed, cmp.Or(err, p.err)
	}
	s.setOutcome(s.words(""), sure, err, now)
}

// setOutcome records the outcome. It drops text that recognisers produce for silence.
func (s *segment) setOutcome(text string, sure bool, err error, now time.Time) {
	if isPhantom(text) {
		text = ""
	}
	s.done, s.text, s.confirmed, s.err, s.delay = true, text, sure, err, now.Sub(s.ended)
}

// failSegment ends all unfinished parts with an error and their interim transcripts.
func (s *segment) failSegment(err error, now time.Time) {
	for _, p := range s.parts {
		if !p.done {
			p.done, p.Result, p.err = true, p.wait.Assumed(), err
		}
	}
	if s.ended.IsZero() || s.done {
		return
	}
	assumed := s.last.Text != "" || slices.ContainsFunc(s.parts, func(p *part) bool { return p.Assumed })
	s.setOutcome(s.words(s.last.Text), !assumed, err, now)
}

// nextDue returns when the next part expires.
func (s *segment) nextDue() (at time.Time) {
	for _, p := range s.parts {
		if due := p.wait.Due(); !p.done && (at.IsZero() || due.Before(at)) {
			at = due
		}
	}
	return at
}

// expireSegment ends the parts whose time is up.
func (s *segment) expireSegment(now time.Time) {
	for _, p := range s.parts {
		if p.done || s.done || now.Before(p.wait.Due()) {
			continue
		}
		if r, err, done := p.wait.Expire(now); done {
			p.done, p.Result, p.err = true, r, err
		}
	}
	s.recordOutcome(now)
}

// newEvent returns an event about the segment.
func (s *segment) newEvent(kind Kind) Event {
	return Event{Kind: kind, Utterance: s.utterance, Segment: s.index, At: s.at, Endpoint: s.endpoint, Speech: s.speech}
}

// finalEvent returns the segment's Final.
func (s *segment) finalEvent() Event {
	e := s.newEvent(Final)
	e.Took, e.Text, e.Assumed, e.Err = s.delay, s.text, !s.confirmed, s.err
	return e
}
