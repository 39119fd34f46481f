// Package fallback is what chains of language models, voices and recognisers
// have in common: providers by falling preference, a breaker for each, whose turn
// it is, the notice of a change, and opening connections ahead of their use. It
// starts no goroutine but timers, which end with a request, and those that
// [Chain.Warm] waits for.
package fallback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Provider is what a chain needs to know of its providers.
type Provider interface{ Name() string }

// Link is one provider of a chain.
type Link[P Provider] struct {
	// Name tells the link apart in notices: what the configuration calls the
	// provider, such as "elevenlabs", or with its model.
	Name     string
	Provider P
}

// Switch says that another provider serves from now on.
type Switch struct {
	// From served before, To serves now; both are the links' names.
	From, To string
	// Reason is why From was given up; nil if To is back after a failure.
	Reason error
}

// Options configure a [Chain].
type Options struct {
	// Failures in a row open a breaker. If zero, [DefaultFailures].
	Failures int
	// BackOff is how long an open breaker stays so at first; it doubles up to
	// [MaxBackOff]. If zero, [DefaultBackOff].
	BackOff time.Duration
	// OnSwitch is told of every switch that a failure or the end of one made. It
	// is safe for concurrent use and does not block. If nil, nobody is told.
	OnSwitch func(Switch)
}

// Chain are the links of a chain and what is known of them. It is safe for
// concurrent use.
type Chain[P Provider] struct {
	Links    []Link[P]
	Breakers Breakers // by link
	onSwitch func(Switch)

	mu     sync.Mutex // guards the fields below
	active int        // the link that served last
	why    error      // its predecessors' last failure
}

// New returns a chain of links by falling preference.
func New[P Provider](links []Link[P], o Options) *Chain[P] {
	return &Chain[P]{
		Links: slices.Clone(links), Breakers: NewBreakers(len(links), o.Failures, o.BackOff), onSwitch: o.OnSwitch,
	}
}

// Name lists the providers in order.
func (c *Chain[P]) Name() string {
	var names []string
	for _, l := range c.Links {
		names = append(names, l.Provider.Name())
	}
	return strings.Join(names, ", then ")
}

// Next returns the link to ask now, -1 if none is left; it enters its breaker. If
// no breaker lets anything through and nothing was tried yet, it is the one that
// is due first: there is nothing to lose.
func (c *Chain[P]) Next(tried []bool) int {
	link := c.Breakers.Enter(tried)
	if link < 0 && !slices.Contains(tried, true) {
		link = c.Breakers.Soonest(tried)
	}
	return link
}

// noteServing notes which link serves and tells of a change.
func (c *Chain[P]) noteServing(link int, reason error) {
	c.mu.Lock()
	if reason != nil {
		c.why = reason
	}
	from, why := c.active, c.why
	c.active = link
	c.mu.Unlock()
	c.TellSwitch(from, link, why)
}

// TellSwitch tells that link to serves instead of link from, which was given up
// for a reason; the reason does not matter if to was preferred all along. Nothing
// is told if they are the same.
func (c *Chain[P]) TellSwitch(from, to int, reason error) {
	if from == to || c.onSwitch == nil {
		return
	}
	if to < from {
		reason = nil
	}
	c.onSwitch(Switch{From: c.Links[from].Name, To: c.Links[to].Name, Reason: reason})
}

// Warm has all providers that can open their connections, side by side, since
// each of them may have to take over in an instant. It returns when the last one
// is done. The error names every one that failed; nobody's breaker hears of it.
func (c *Chain[P]) Warm(ctx context.Context) error {
	errs := make([]error, len(c.Links))
	var links sync.WaitGroup
	for i, l := range c.Links {
		if p, ok := any(l.Provider).(interface{ Warm(context.Context) error }); ok {
			links.Go(func() {
				if err := p.Warm(ctx); err != nil {
					errs[i] = fmt.Errorf("%s: %w", l.Name, err)
				}
			})
		}
	}
	links.Wait()
	return errors.Join(errs...)
}

// retryAfter is how long a provider asks to be left alone, 0 if it does not.
func retryAfter(err error) time.Duration {
	var busy interface{ RetryAfter() time.Duration }
	if errors.As(err, &busy) {
		return busy.RetryAfter()
	}
	return 0
}
