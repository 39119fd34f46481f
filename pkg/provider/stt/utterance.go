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
// outcome, by the rules of [Wait]. It calls Recv, so nobody else may at that
// time. With an error, the result is the last interim transcript. The error
// wraps ErrOverBudget after Budget, ctx.Err when ctx is done, or is the
// stream's.
func Utterance(ctx context.Context, s Stream, o UtteranceOptions) (Result, error) {
	number, err := s.Finish(ctx)
	if err != nil {
		return o.Last, fmt.Errorf("finishing the utterance: %w", err)
	}
	if o.Last.Utterance != number {
		o.Last = Result{}
	}
	w := NewWait(number, time.Now(), o)
	for {
		bounded, cancel := context.WithDeadline(ctx, w.Due())
		r, err := s.Recv(bounded)
		expired := bounded.Err() != nil
		cancel()
		var done bool
		switch {
		case err == nil:
			r, err, done = w.Take(r)
		case ctx.Err() != nil:
			return w.Assumed(), fmt.Errorf("waiting for the transcript: %w", context.Cause(ctx))
		case expired:
			r, err, done = w.Expire(w.Due())
		default:
			return w.Assumed(), err
		}
		if done {
			return r, err
		}
	}
}
