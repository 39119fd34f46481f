// Package fallback holds what chains of language models, voices and recognisers share: providers in order of
// preference, a breaker for each, the choice of the next link, notices of a change, and opening connections
// in advance. It starts no goroutines other than timers, which end with the request, and those that
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

// Provider is the interface that a chain requires of its providers.
type Provider interface{ Name() string }

// Link is one provider of a chain.
type Link[P Provider] struct {
	// Name identifies the link in notices. It is the provider's name in the configuration, such as
	// "elevenlabs", or that name with the model.
	Name     string
	Provider P
}

// Switch reports that another provider serves from now on.
type Switch struct {
	// From and To are the names of the previous and the new link.
	From, To string
	// Reason is why From failed; nil if To has recovered.
	Reason error
}

// Options configure a [Chain].
type Options struct {
	// Failures is the number of consecutive failures that open a breaker. The default is [DefaultFailures].
	Failures int
	// BackOff is the initial pause of an open breaker; it doubles up to [MaxBackOff]. The default is
	// [DefaultBackOff].
	BackOff time.Duration
	// OnSwitch, if not nil, is called on every switch caused by a failure or a recovery. It must be safe for
	// concurrent use and must not block.
	OnSwitch func(Switch)
}

// Chain holds the links of a chain and their state. It is safe for concurrent use.
type Chain[P Provider] struct {
	Links    []Link[P]
	Breakers Breakers // by link
	onSwitch func(Switch)

	mu     sync.Mutex // guards the fields below
	active int        // link that served last
	why    error      // last failure of the links before it
}

// New returns a chain of links in order of preference.
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

// Next returns the link to ask now and enters its breaker, or returns -1 if none is left. If all breakers are
// open and nothing was tried yet, it returns the link that is due first, because waiting would gain nothing.
func (c *Chain[P]) Next(tried []bool) int {
	link := c.Breakers.Enter(tried)
	if link < 0 && !slices.Contains(tried, true) {
		link = c.Breakers.Soonest(tried)
	}
	return link
}

// recordServing records which link serves and reports a change.
func (c *Chain[P]) recordServing(link int, reason error) {
	c.mu.Lock()
	if reason != nil {
		c.why = reason
	}
	from, why := c.active, c.why
	c.active = link
	c.mu.Unlock()
	c.ReportSwitch(from, link, why)
}

// ReportSwitch reports that link to serves instead of link from. reason is why from failed; it is dropped if to
// is preferred to from. ReportSwitch does nothing if the links are the same.
func (c *Chain[P]) ReportSwitch(from, to int, reason error) {
	if from == to || c.onSwitch == nil {
		return
	}
	if to < from {
		reason = nil
	}
	c.onSwitch(Switch{From: c.Links[from].Name, To: c.Links[to].Name, Reason: reason})
}

// Warm opens the connections of all providers that support it, concurrently, because each may have to take
// over at any moment. It returns when the last one is done. The error names every provider that failed;
// breakers are not affected.
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

// retryAfter returns how long the provider asked to be left alone, or 0.
func retryAfter(err error) time.Duration {
	var busy interface{ RetryAfter() time.Duration }
	if errors.As(err, &busy) {
		return busy.RetryAfter()
	}
	return 0
}
