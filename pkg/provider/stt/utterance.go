package stt

import (
	"context"
	"fmt"
	"time"
)

// Defaults of [UtteranceOptions].
const (
	// DefaultBudget is the maximum time for an utterance including all retries of a provider.
	DefaultBudget = 15 * time.Second
	// DefaultSettle is how long an existing interim transcript waits for the final one. Players take a
	// silence of more than a few seconds for a failure.
	DefaultSettle = 3 * time.Second
)

// UtteranceOptions configure the wait for an utterance.
type UtteranceOptions struct {
	// Budget is the maximum total wait. The default is [DefaultBudget].
	Budget time.Duration
	// Settle is the wait after which an interim transcript replaces a missing final. The default is
	// [DefaultSettle]; if negative, it never does.
	Settle time.Duration
	// Last is the last interim transcript received earlier, if any.
	Last Result
	// Interim, if not nil, receives every interim transcript of this utterance that arrives during the wait.
	Interim func(Result)
}

// Utterance finishes the current utterance of s and returns its result by the rules of [Wait]. It calls Recv,
// so no other goroutine may do so at the same time. On an error, the result is the last interim transcript.
// The error wraps ErrOverBudget after Budget, wraps the cause of ctx once ctx is done, or is the stream's.
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
			r, err, done = w.Handle(r)
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
