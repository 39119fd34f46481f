package fallback

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Call is a request to a chain whose answer comes in pieces, and the rules of its
// kind of provider.
type Call[P Provider, T any] struct {
	// Ask sends the request to a link.
	Ask func(ctx context.Context, link int) iter.Seq2[T, error]
	// Begins reports whether an answer begins with a piece. What comes before is
	// dropped: another link could still answer.
	Begins func(T) bool
	// First bounds the wait for the beginning where another link can take over,
	// Last where none can, and Stall the wait for more. Zero is no bound.
	First, Last, Stall time.Duration
	// Hurried is a link that is asked first, out of turn, its breaker entered. If
	// zero, none is: the first link is never out of turn.
	Hurried int
	// Timed, if not nil, is told how long a link was waited for until it began.
	Timed func(link int, took time.Duration)

	// None is the error of a chain without links; if nil, that is no failure.
	None error
	// Slow is the error of a link that took too long, and Empty of one that ended
	// without beginning; if Empty is nil, that is an answer.
	Slow, Empty error
	// Cut, if not nil, is wrapped by errors that come after the beginning.
	Cut error
	// Severe are errors that open a breaker at once, and NotTheirs is one that is
	// no failure of the link.
	Severe    []error
	NotTheirs error
}

// Stream asks the links of c until one answers. One that fails, or is too slow,
// before its answer begins is followed by the next with the same request; an
// error after that ends the answer, since nothing may come twice. If every
// breaker is open, the link that is due next is asked all the same. The error is
// the last link's. Cancelling ctx is nobody's failure.
func Stream[P Provider, T any](ctx context.Context, c *Chain[P], call *Call[P, T], yield func(T, error) bool) {
	failed := call.None
	tried := make([]bool, len(c.Links))
	link := call.Hurried
	if link == 0 {
		link = c.Next(tried)
	}
	for first := true; link >= 0; first, link = false, c.Next(tried) {
		tried[link] = true
		a := &attempt[P, T]{
			Call: call, chain: c, link: link, yield: yield,
			last: c.Breakers.Ready(tried) == 0, hurried: first && call.Hurried > 0,
		}
		if !first {
			a.reason = failed
		}
		if failed = a.run(ctx); failed == nil {
			return
		}
		if a.begun || ctx.Err() != nil {
			break
		}
	}
	if failed != nil {
		var none T
		yield(none, failed)
	}
}

// errWatch is why an attempt's context ends when the link takes too long.
var errWatch = errors.New("the provider takes too long")

// attempt is one link's try at a request.
type attempt[P Provider, T any] struct {
	*Call[P, T]
	chain   *Chain[P]
	link    int
	yield   func(T, error) bool
	last    bool  // nobody takes over
	hurried bool  // out of turn
	reason  error // why the link before was given up
	begun   bool  // something was delivered
}

// run returns nil if the request was answered or the consumer has enough.
func (a *attempt[P, T]) run(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	patience := a.First
	if a.last {
		patience = a.Last
	}
	watch := &time.Timer{}
	if patience > 0 {
		watch = time.AfterFunc(patience, func() { cancel(errWatch) })
		defer watch.Stop()
	}
	start := time.Now()
	var failed error
	for piece, err := range a.Ask(ctx, a.link) {
		if err != nil {
			failed = err
			break
		}
		if !a.begun && !a.Begins(piece) {
			continue
		}
		inTime := patience == 0 || watch.Stop() // the consumer may take its time
		if !a.begun {
			if !inTime {
				break // too late by a hair: the stream is being cancelled
			}
			a.noteBeginning(time.Since(start))
		}
		if !a.yield(piece, nil) {
			a.chain.Breakers[a.link].Succeeded()
			return nil
		}
		if patience > 0 && a.Stall > 0 {
			watch.Reset(a.Stall)
		}
	}
	return a.judgeOutcome(parent, errors.Is(context.Cause(ctx), errWatch), patience, failed)
}

// noteBeginning notes that the answer begins.
func (a *attempt[P, T]) noteBeginning(took time.Duration) {
	a.begun = true
	if a.Timed != nil {
		a.Timed(a.link, took)
	}
	if !a.hurried {
		a.chain.noteServing(a.link, a.reason)
	}
}

// judgeOutcome turns the outcome of a try into the breaker's business and an error.
func (a *attempt[P, T]) judgeOutcome(parent context.Context, slow bool, waited time.Duration, failed error) error {
	state := a.chain.Breakers[a.link]
	switch {
	case parent.Err() != nil:
		state.Abandoned()
		if failed == nil {
			failed = context.Cause(parent)
		}
		return failed
	case failed == nil && (a.begun || a.Empty == nil):
		state.Succeeded()
		return nil
	case slow:
		failed = a.Slow
		state.Failed(true, 0)
		if a.Timed != nil {
			a.Timed(a.link, waited)
		}
	case failed != nil && errors.Is(failed, a.NotTheirs):
		state.Abandoned()
	default:
		if failed == nil {
			failed = a.Empty
		}
		wait := retryAfter(failed)
		state.Failed(wait > 0 || slices.ContainsFunc(a.Severe, func(kind error) bool { return errors.Is(failed, kind) }), wait)
	}
	name := a.chain.Links[a.link].Name
	if a.begun && a.Cut != nil {
		return fmt.Errorf("%s: %w: %w", name, a.Cut, failed)
	}
	return fmt.Errorf("%s: %w", name, failed)
}
