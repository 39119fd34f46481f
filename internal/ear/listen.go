package ear

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// question is a request for the transcript of a part of a segment.
type question struct {
	*part
	of *segment
}

// news is a result or error from the stream.
type news struct {
	result stt.Result
	err    error
}

// openStream opens the recogniser's stream and starts receiving from it.
func (e *Ear) openStream(ctx context.Context) {
	if e.recogniser == nil {
		e.reason = fmt.Errorf("opening a stream: %w: there is no provider", stt.ErrRejected)
		return
	}
	stream, err := e.recogniser.Listen(ctx, e.expect)
	if err != nil {
		e.loseStream(err, time.Now())
		return
	}
	e.setStream(stream)
	e.tasks.Go(func() {
		defer stream.Close() // the stream is over, so its error does not matter
		for n := (news{}); n.err == nil; {
			n.result, n.err = stream.Recv(ctx)
			select {
			case e.news <- n:
			case <-ctx.Done():
				return
			}
		}
	})
}

func (e *Ear) setStream(s stt.Stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stream = s
}

// loseStream fails all open requests and stops transcription. It does not reopen the stream, because
// recognisers reconnect by themselves.
func (e *Ear) loseStream(err error, now time.Time) {
	if !isReason(err) {
		err = fmt.Errorf("%w: %w", stt.ErrUnavailable, err)
	}
	e.log.LogAttrs(context.Background(), slog.LevelError, "there is no stream of speech recognition", slog.Any("error", err))
	e.setStream(nil)
	e.reason = err
	for _, q := range e.asked {
		q.of.failSegment(err, now)
	}
	e.asked = nil
	e.early.forget()
}

// isReason reports whether err wraps a sentinel error of package stt.
func isReason(err error) bool {
	for _, reason := range []error{stt.ErrRejected, stt.ErrUnavailable, stt.ErrRateLimited, stt.ErrClosed} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// sendSound sends sound to the stream.
func (e *Ear) sendSound(samples []int16, now time.Time) {
	if e.stream == nil || e.holdSound(samples, now) {
		return
	}
	if err := e.stream.Send(samples); err != nil {
		e.loseStream(err, now)
	}
}

// askTranscript requests the transcript of those parts of s that have not been requested. All its sound has
// been sent. If s is already done, the request only separates it from the next segment.
func (e *Ear) askTranscript(ctx context.Context, s *segment, now time.Time) {
	err := e.reason
	if e.stream != nil {
		if _, err = e.askPart(ctx, s, now); err == nil {
			return
		}
	}
	switch {
	case errors.Is(err, stt.ErrBusy):
		err = fmt.Errorf("finishing the utterance: %w", err)
	case e.stream != nil:
		e.loseStream(err, now)
		err = e.reason
	}
	s.failSegment(err, now)
}

// askPart requests the transcript of the sound sent since the last request.
func (e *Ear) askPart(ctx context.Context, s *segment, now time.Time) (*part, error) {
	number, err := e.stream.Finish(ctx)
	if err != nil {
		return nil, err
	}
	p := s.addPart(number, now)
	e.asked = append(e.asked, question{p, s})
	e.next = number + 1
	return p, nil
}

// hearNews handles news from the stream.
func (e *Ear) hearNews(n news, now time.Time) {
	switch {
	case e.stream == nil: // it has been given up
	case n.err != nil:
		e.loseStream(n.err, now)
	default:
		e.hearTranscript(n.result, now)
	}
}

// hearTranscript handles a transcript from the stream.
func (e *Ear) hearTranscript(r stt.Result, now time.Time) {
	if r.Utterance == e.next && !r.Final && r.Err == nil && e.open != nil {
		if r.Text != "" {
			e.open.last = r
			e.hearWords(e.open, r.Text, now)
		}
		return
	}
	for i, q := range e.asked {
		if q.number != r.Utterance {
			continue
		}
		if !r.Final && r.Err == nil {
			e.hearInterim(q, r, now)
			return
		}
		for _, skipped := range e.asked[:i] {
			// Finals arrive in order, so there is none for these.
			e.hearFinal(skipped, stt.Result{Utterance: skipped.number, Final: true}, now)
		}
		if q.of.done && !q.of.isNoise(e.minSpeech) {
			e.countLate()
		}
		e.hearFinal(q, r, now)
		e.asked = slices.Delete(e.asked, 0, i+1)
		return
	}
	e.countLate()
}

// hearFinal handles the final transcript of a request.
func (e *Ear) hearFinal(q question, r stt.Result, now time.Time) {
	if q.of.done {
		return
	}
	q.of.dropParts(q.number, r.Before)
	if out, err, done := q.wait.Take(r); done {
		q.done, q.Result, q.err = true, out, err
	}
	q.of.settleSegment(now)
	switch {
	case q.of != e.open || !q.done:
	case q.Text != "":
		e.hearWords(q.of, "", now)
	case e.early.asked && q.number == e.next-1: // there are no words to wait for
		e.lane.Expect(Unknown)
	}
}

// hearInterim handles an interim transcript of a part whose final has been requested.
func (e *Ear) hearInterim(q question, r stt.Result, now time.Time) {
	if q.of.done {
		if !q.of.isNoise(e.minSpeech) {
			e.countLate()
		}
		return
	}
	q.wait.Take(r)
	if r.Text != "" {
		e.hearWords(q.of, r.Text, now)
	}
}

// hearWords handles new words of a segment: those of its finished parts, followed by the newer text.
func (e *Ear) hearWords(s *segment, newer string, now time.Time) {
	words := s.words(newer)
	if s == e.open {
		e.lane.Expect(e.reader.Judge(words))
	}
	e.tellInterim(s, words, now)
}

func (e *Ear) tellInterim(s *segment, text string, now time.Time) {
	e.tellEvent(Event{Kind: Interim, Utterance: s.utterance, Segment: s.index, At: now, Speech: s.speech, Text: text})
}

func (e *Ear) countLate() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Late++
}
