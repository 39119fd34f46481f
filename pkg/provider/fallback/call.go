package fallback

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Call is a streaming request to a chain, with the rules for its kind of provider.
type Call[P Provider, T any] struct {
	// Ask sends the request to a link.
	Ask func(ctx context.Context, link int) iter.Seq2[T, error]
	// Begins reports whether a piece starts the answer. Earlier pieces are dropped because another link could
	// still answer.
	Begins func(T) bool
	// First is the maximum wait for the first piece if another link can take over, Last if none can. Stall is
	// the maximum wait for each further piece. Zero means no limit.
	First, Last, Stall time.Duration
	// Hurried is a link to ask first, out of order, whose breaker has been entered already. Zero means none,
	// because the first link is never out of order.
	Hurried int
	// Timed, if not nil, receives the time each link took to begin.
	Timed func(link int, took time.Duration)

	// None is the error of a chain without links. If nil, such a call succeeds.
	None error
	// Slow is the error of a link that took too long. Empty is the error of a link that ended before it
	// began; if nil, that is a valid answer.
	Slow, Empty error
	// Cut, if not nil, is wrapped by errors that occur after the answer has begun.
	Cut error
	// Severe lists the errors that open a breaker at once. NotTheirs is an error that does not count as the
	// link's failure.
	Severe    []error
	NotTheirs error
}

// Stream asks the links of c in turn until one answers. If a link fails or is too slow before its answer
// begins, Stream sends the same request to the next one. A later error ends the answer, because no part may
// be delivered twice. If every breaker is open, Stream still asks the link that is due next. The error is
// that of the last link. Cancelling ctx does not count as a failure.
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
		if a.started || ctx.Err() != nil {
			break
		}
	}
	if failed != nil {
		var none T
		yield(none, failed)
	}
}

// errWatch is the cancellation cause of an attempt whose link takes too long.
var errWatch = errors.New("the provider takes too long")

// attempt is one link's attempt at a request.
type attempt[P Provider, T any] struct {
	*Call[P, T]
	chain   *Chain[P]
	link    int
	yield   func(T, error) bool
	last    bool  // no other link can take over
	hurried bool  // asked out of order
	reason  error // why the previous link failed
	started bool  // a piece has been delivered
}

// run returns nil if the request was answered or the consumer stopped.
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
		if !a.started && !a.Begins(piece) {
			continue
		}
		inTime := patience == 0 || watch.Stop() // do not count the consumer's time
		if !a.started {
			if !inTime {
				break // the timer has fired just now and the stream is being cancelled
			}
			a.recordBeginning(time.Since(start))
		}
		if !a.yield(piece, nil) {
			a.chain.Breakers[a.link].Succeeded()
			return nil
		}
		if patience > 0 && a.Stall > 0 {
			watch.Reset(a.Stall)
		}
	}
	return a.reportOutcome(parent, errors.Is(context.Cause(ctx), errWatch), patience, failed)
}

// recordBeginning records that the answer has begun.
func (a *attempt[P, T]) recordBeginning(took time.Duration) {
	a.started = true
	if a.Timed != nil {
		a.Timed(a.link, took)
	}
	if !a.hurried {
		a.chain.recordServing(a.link, a.reason)
	}
}

// reportOutcome reports the outcome to the breaker and returns the error.
func (a *attempt[P, T]) reportOutcome(parent context.Context, slow bool, waited time.Duration, failed error) error {
	state := a.chain.Breakers[a.link]
	switch {
	case parent.Err() != nil:
		state.Abandoned()
		if failed == nil {
			failed = context.Cause(parent)
		}
		return failed
	case failed == nil && (a.started || a.Empty == nil):
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
	if a.started && a.Cut != nil {
		return fmt.Errorf("%s: %w: %w", name, a.Cut, failed)
	}
	return fmt.Errorf("%s: %w", name, failed)
}
