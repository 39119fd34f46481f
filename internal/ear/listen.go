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

// transcriptRequest is a request for the transcript of a part of a segment.
type transcriptRequest struct {
	*part
	segment *segment
}

// streamResult is a result or error from the stream.
type streamResult struct {
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
		e.failStream(err, time.Now())
		return
	}
	e.setStream(stream)
	e.tasks.Go(func() {
		defer stream.Close() // the stream is over, so its error does not matter
		for n := (streamResult{}); n.err == nil; {
			n.result, n.err = stream.Recv(ctx)
			select {
			case e.streamResults <- n:
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

// failStream fails all open requests and stops transcription. It does not reopen the stream, because
// recognisers reconnect by themselves.
func (e *Ear) failStream(err error, now time.Time) {
	if !isReason(err) {
		err = fmt.Errorf("%w: %w", stt.ErrUnavailable, err)
	}
	e.log.LogAttrs(context.Background(), slog.LevelError, "there is no stream of speech recognition", slog.Any("error", err))
	e.setStream(nil)
	e.reason = err
	for _, q := range e.requests {
		q.segment.failSegment(err, now)
	}
	e.requests = nil
	e.early.clearPending()
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
	if e.stream == nil || e.bufferSound(samples, now) {
		return
	}
	if err := e.stream.Send(samples); err != nil {
		e.failStream(err, now)
	}
}

// requestTranscript requests the transcript of those parts of s that have not been requested. All its sound has
// been sent. If s is already done, the request only separates it from the next segment.
func (e *Ear) requestTranscript(ctx context.Context, s *segment, now time.Time) {
	err := e.reason
	if e.stream != nil {
		if _, err = e.requestPart(ctx, s, now); err == nil {
			return
		}
	}
	switch {
	case errors.Is(err, stt.ErrBusy):
		err = fmt.Errorf("finishing the utterance: %w", err)
	case e.stream != nil:
		e.failStream(err, now)
		err = e.reason
	}
	s.failSegment(err, now)
}

// requestPart requests the transcript of the sound sent since the last request.
func (e *Ear) requestPart(ctx context.Context, s *segment, now time.Time) (*part, error) {
	number, err := e.stream.Finish(ctx)
	if err != nil {
		return nil, err
	}
	p := s.addPart(number, now)
	e.requests = append(e.requests, transcriptRequest{p, s})
	e.next = number + 1
	return p, nil
}

// handleStreamResult handles news from the stream.
func (e *Ear) handleStreamResult(n streamResult, now time.Time) {
	switch {
	case e.stream == nil: // it has been given up
	case n.err != nil:
		e.failStream(n.err, now)
	default:
		e.handleTranscript(n.result, now)
	}
}

// handleTranscript handles a transcript from the stream.
func (e *Ear) handleTranscript(r stt.Result, now time.Time) {
	if r.Utterance == e.next && !r.Final && r.Err == nil && e.open != nil {
		if r.Text != "" {
			e.open.last = r
			e.handleWords(e.open, r.Text, now)
		}
		return
	}
	for i, q := range e.requests {
		if q.number != r.Utterance {
			continue
		}
		if !r.Final && r.Err == nil {
			e.handleInterim(q, r, now)
			return
		}
		for _, skipped := range e.requests[:i] {
			// Finals arrive in order, so there is none for these.
			e.handleFinal(skipped, stt.Result{Utterance: skipped.number, Final: true}, now)
		}
		if q.segment.done && !q.segment.isNoise(e.minSpeech) {
			e.countLate()
		}
		e.handleFinal(q, r, now)
		e.requests = slices.Delete(e.requests, 0, i+1)
		return
	}
	e.countLate()
}

// handleFinal handles the final transcript of a request.
func (e *Ear) handleFinal(q transcriptRequest, r stt.Result, now time.Time) {
	if q.segment.done {
		return
	}
	q.segment.dropParts(q.number, r.Before)
	if out, err, done := q.wait.Handle(r); done {
		q.done, q.Result, q.err = true, out, err
	}
	q.segment.recordOutcome(now)
	switch {
	case q.segment != e.open || !q.done:
	case q.Text != "":
		e.handleWords(q.segment, "", now)
	case e.early.pending && q.number == e.next-1: // there are no words to wait for
		e.lane.SetOutlook(Unknown)
	}
}

// handleInterim handles an interim transcript of a part whose final has been requested.
func (e *Ear) handleInterim(q transcriptRequest, r stt.Result, now time.Time) {
	if q.segment.done {
		if !q.segment.isNoise(e.minSpeech) {
			e.countLate()
		}
		return
	}
	q.wait.Handle(r)
	if r.Text != "" {
		e.handleWords(q.segment, r.Text, now)
	}
}

// handleWords handles new words of a segment: those of its finished parts, followed by the newer text.
func (e *Ear) handleWords(s *segment, newer string, now time.Time) {
	words := s.words(newer)
	if s == e.open {
		e.lane.SetOutlook(e.reader.Judge(words))
	}
	e.sendInterim(s, words, now)
}

func (e *Ear) sendInterim(s *segment, text string, now time.Time) {
	e.queueEvent(Event{Kind: Interim, Utterance: s.utterance, Segment: s.index, At: now, Speech: s.speech, Text: text})
}

func (e *Ear) countLate() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Late++
}
