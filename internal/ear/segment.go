package ear

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// budget bounds the time from the end of a segment to its Final.
const budget = stt.DefaultBudget

// segment is a piece of an utterance, from its onset, or from where the speaker went on,
// to an end. It is open, then ended; once the transcripts of all its parts are known
// it is done.
type segment struct {
	utterance uint64
	index     int
	parts     []*part    // whose transcripts were asked for, oldest first
	last      stt.Result // the newest interim transcript of what comes after those

	ended    time.Time // when it counted as ended; zero while it is open
	at       time.Time // the end of voicing
	endpoint time.Duration
	speech   time.Duration // of the utterance
	before   time.Duration // of that, in the segments before

	done bool // the outcome is known
	text string
	sure bool
	err  error
	took time.Duration
}

// part is a stretch of a segment that the stream was asked about: up to its end, or up to
// where it might have ended.
type part struct {
	number int
	wait   *stt.Wait

	done bool
	stt.Result
	err error
}

// isNoise reports whether it has less voice than the least that can be a word.
func (s *segment) isNoise(least time.Duration) bool { return s.speech-s.before < least }

// addPart notes that the stream was asked about a number.
func (s *segment) addPart(number int, now time.Time) *part {
	left := budget
	if !s.ended.IsZero() {
		left = s.ended.Add(budget).Sub(now)
	}
	p := &part{number: number, wait: stt.NewWait(number, now, stt.UtteranceOptions{Budget: left, Last: s.last})}
	s.parts, s.last = append(s.parts, p), stt.Result{}
	return p
}

// dropParts forgets the parts whose words the transcript of a number holds as well.
func (s *segment) dropParts(number, before int) {
	s.parts = slices.DeleteFunc(s.parts, func(p *part) bool { return p.number < number && p.number >= number-before })
}

// words are what is understood of it so far, with a newer text of the last part or of
// what comes after.
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

// settleSegment notes the outcome if that of all parts is known.
func (s *segment) settleSegment(now time.Time) {
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
	s.finishSegment(s.words(""), sure, err, now)
}

// finishSegment notes the outcome. What recognisers make up of silence is no text.
func (s *segment) finishSegment(text string, sure bool, err error, now time.Time) {
	if isPhantom(text) {
		text = ""
	}
	s.done, s.text, s.sure, s.err, s.took = true, text, sure, err, now.Sub(s.ended)
}

// failSegment notes that there is no transcript of what was not transcribed yet, only interim
// ones.
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
	s.finishSegment(s.words(s.last.Text), !assumed, err, now)
}

// nextDue returns when time decides something of it.
func (s *segment) nextDue() (at time.Time) {
	for _, p := range s.parts {
		if due := p.wait.Due(); !p.done && (at.IsZero() || due.Before(at)) {
			at = due
		}
	}
	return at
}

// expireSegment decides what becomes of the segment if that is due.
func (s *segment) expireSegment(now time.Time) {
	for _, p := range s.parts {
		if p.done || s.done || now.Before(p.wait.Due()) {
			continue
		}
		if r, err, done := p.wait.Expire(now); done {
			p.done, p.Result, p.err = true, r, err
		}
	}
	s.settleSegment(now)
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
