package stt

import (
	"context"
	"fmt"
	"time"
)

// Defaults of [UtteranceOptions].
const (
	// DefaultBudget bounds an utterance including everything a provider tries
	// again.
	DefaultBudget = 15 * time.Second
	// DefaultSettle is how long a known interim transcript waits for the final
	// one. Players take silence of more than some seconds for a failure.
	DefaultSettle = 3 * time.Second
)

// UtteranceOptions say how long to wait for an utterance.
type UtteranceOptions struct {
	// Budget bounds the whole wait. If zero, [DefaultBudget].
	Budget time.Duration
	// Settle is when an interim transcript is taken for the final one that has
	// not come. If zero, [DefaultSettle]; if negative, never.
	Settle time.Duration
	// Last is the last interim transcript received before, if any.
	Last Result
	// Interim is told every interim transcript of this utterance that comes
	// meanwhile. It may be nil.
	Interim func(Result)
}

// Utterance finishes the utterance that has been sent to s and returns its one
// outcome. It calls Recv, so nobody else may at that time.
//
// Transcripts of earlier utterances are dropped. An empty final transcript of
// an utterance with an interim text counts as no answer and gives way to that
// text, with Assumed set; so does a final one that is late by Settle. With an
// error, the result is the last interim transcript. The error wraps
// ErrOverBudget after Budget, ctx.Err when ctx is done, or is the stream's.
func Utterance(ctx context.Context, s Stream, o UtteranceOptions) (Result, error) {
	budget, settle := o.Budget, o.Settle
	if budget == 0 {
		budget = DefaultBudget
	}
	if settle == 0 {
		settle = DefaultSettle
	}
	if settle >= budget {
		settle = -1 // the budget comes first
	}
	parent := ctx
	ctx, cancel := context.WithTimeoutCause(parent, budget, ErrOverBudget)
	defer cancel()
	number, err := s.Finish(ctx)
	if err != nil {
		return o.Last, fmt.Errorf("finishing the utterance: %w", err)
	}
	w := wait{stream: s, number: number, began: time.Now(), settle: settle, interim: o.Interim}
	if o.Last.Utterance == number {
		w.last = o.Last
	}
	return w.final(ctx)
}

// wait is the state of one call of [Utterance].
type wait struct {
	stream  Stream
	number  int
	began   time.Time
	settle  time.Duration // negative: never
	interim func(Result)
	last    Result // the last interim transcript with a text
}

func (w *wait) final(ctx context.Context) (Result, error) {
	for {
		r, err, settled := w.next(ctx)
		switch {
		case settled:
			return w.assumed(), nil
		case err != nil && ctx.Err() != nil:
			return w.assumed(), fmt.Errorf("waiting for the transcript: %w", context.Cause(ctx))
		case err != nil:
			return w.assumed(), err
		case r.Utterance != w.number: // too late
		case r.Err != nil:
			return w.assumed(), r.Err
		case r.Final && r.Text == "" && w.last.Text != "":
			return w.assumed(), nil
		case r.Final:
			return r, nil
		case r.Text != "":
			w.last = r
			if w.interim != nil {
				w.interim(r)
			}
		}
	}
}

// next receives one transcript, but waits no longer than Settle once there is
// a text to settle for.
func (w *wait) next(ctx context.Context) (r Result, err error, settled bool) {
	if w.last.Text == "" || w.settle < 0 {
		r, err = w.stream.Recv(ctx)
		return r, err, false
	}
	short, cancel := context.WithDeadline(ctx, w.began.Add(w.settle))
	defer cancel()
	r, err = w.stream.Recv(short)
	return r, err, err != nil && short.Err() != nil && ctx.Err() == nil
}

// assumed is the last interim transcript in place of the final one.
func (w *wait) assumed() Result {
	r := w.last
	r.Utterance, r.Final, r.Assumed = w.number, true, r.Text != ""
	return r
}
