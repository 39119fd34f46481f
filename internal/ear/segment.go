package ear

import (
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// budget bounds the time from the end of a segment to its Final.
	budget = stt.DefaultBudget
	// chunkFrames is how much sound is kept in one piece: half a second.
	chunkFrames = 25
	// maxChunks is how much unanswered sound an ear keeps: as much as a stream
	// queues.
	maxChunks = int(stt.MaxQueued / (chunkFrames * audio.FrameDuration))
)

// segment is a part of an utterance, from its onset, or from where the speaker
// went on, to an end. It is open, then ended, then, in either order, asked for
// and done.
type segment struct {
	utterance uint64
	index     int
	sound     []*chunk // until it is asked for
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

// chunk is a piece of sound.
type chunk struct {
	n       int
	samples [chunkFrames * audio.FrameSamples]int16
}

func (c *chunk) full() bool { return c.n == len(c.samples) }

// deadline is when the segment must have its Final.
func (s *segment) deadline() time.Time { return s.ended.Add(budget) }

// ask notes that the stream was asked for the transcript of a number.
func (s *segment) ask(number int, now time.Time) {
	s.wait = stt.NewWait(number, now, stt.UtteranceOptions{Budget: s.deadline().Sub(now), Last: s.last})
}

// finish notes the outcome.
func (s *segment) finish(r stt.Result, err error, now time.Time) {
	s.done, s.text, s.sure, s.err, s.took = true, r.Text, !r.Assumed, err, now.Sub(s.ended)
}

// fail notes that there is no transcript, only the last interim one.
func (s *segment) fail(err error, now time.Time) {
	r := s.last
	if s.wait != nil {
		r = s.wait.Assumed()
	}
	r.Assumed = r.Text != ""
	s.finish(r, err, now)
}

// due returns when time alone decides what becomes of the segment, which has
// ended and is not done.
func (s *segment) due() time.Time {
	if s.wait != nil {
		return s.wait.Due()
	}
	return s.deadline()
}

// expire decides what becomes of the segment if it is due; reason is why it
// was not asked for.
func (s *segment) expire(now time.Time, reason error) {
	switch {
	case s.done || now.Before(s.due()):
	case s.wait != nil:
		if r, err, done := s.wait.Expire(now); done {
			s.finish(r, err, now)
		}
	case reason != nil:
		s.fail(fmt.Errorf("%w: %w", stt.ErrOverBudget, reason), now)
	default:
		s.fail(fmt.Errorf("opening a stream: %w", stt.ErrOverBudget), now)
	}
}

// event returns what there is to tell of the segment.
func (s *segment) event(kind Kind) Event {
	return Event{Kind: kind, Utterance: s.utterance, Segment: s.index, At: s.at, Endpoint: s.endpoint, Speech: s.speech}
}

// final returns the segment's Final.
func (s *segment) final() Event {
	e := s.event(Final)
	e.Took, e.Text, e.Assumed, e.Err = s.took, s.text, !s.sure, s.err
	return e
}

// keep adds a frame to the sound of the open segment, so that it can be sent
// to the next stream should this one break. The oldest sound goes when there
// is too much.
func (e *Ear) keep(f *audio.Frame) {
	s := e.open
	n := len(s.sound)
	if n == 0 || s.sound[n-1].full() {
		if e.chunks == maxChunks {
			e.forget()
		}
		s.sound = append(s.sound, new(chunk))
		e.chunks++
		n = len(s.sound)
	}
	c := s.sound[n-1]
	c.n += copy(c.samples[c.n:], f[:])
}

// forget drops the oldest piece of sound.
func (e *Ear) forget() {
	oldest := e.open
	for _, s := range e.waiting {
		if len(s.sound) > 0 {
			oldest = s
			break
		}
	}
	if !e.connected() { // else it has been sent
		e.count(func(s *Stats) { s.Dropped += int64(oldest.sound[0].n) })
	}
	e.release(oldest, 1)
}

// release gives up the first n pieces of the sound of s. None is kept for the
// next utterance: many ears wait for long, few hear somebody.
func (e *Ear) release(s *segment, n int) {
	e.chunks -= n
	s.sound = slices.Delete(s.sound, 0, n)
}
