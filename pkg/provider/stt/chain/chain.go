// Package chain lets speech recognition providers take over from each other,
// so that a service that fails does not cost what a player said.
//
// Imported by internal/app. Each stream keeps the sound of its unanswered
// utterances and gives it to the next provider when one fails, once. Each
// provider has a breaker that all streams share: one that failed three times
// in a row, refused the key or let an utterance wait too long is left alone
// for a while and then tried with a single utterance. A stream has one
// goroutine, and one for each connection; Close ends and waits for them.
package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/breaker"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/internal/flow"
)

// ErrSlow means that the final transcript took too long and another provider
// was asked, or the utterance given up.
var ErrSlow = errors.New("the transcript took too long")

// Defaults of [Options].
const (
	defaultOpening   = 4 * time.Second
	defaultFinal     = 5 * time.Second
	defaultLastFinal = 9 * time.Second // with Final and a second's reserve, stt.DefaultBudget
)

// MaxKept is how much of an utterance is kept for the next provider. Of a
// longer one the end is kept.
const MaxKept = 30 * time.Second

// Link is one provider of a chain.
type Link struct {
	// Name is what the configuration calls the provider, such as "deepgram".
	Name     string
	Provider stt.Provider
}

// Switch says that another provider hears a stream from now on.
type Switch struct {
	// From heard before, To hears now; both are the links' names.
	From, To string
	// Reason is why From was given up; nil if To is back after a failure.
	Reason error
}

// Options configure a [Chain]. The zero value works.
type Options struct {
	// Opening bounds the opening of a connection. If zero, 4 s.
	Opening time.Duration
	// Final bounds the wait for a final transcript the first time an utterance
	// is sent, if there is a second provider. If zero, 5 s.
	Final time.Duration
	// LastFinal bounds it the second time; a lone provider has both times. If
	// zero, 9 s.
	LastFinal time.Duration
	// Failures in a row open a breaker. If zero, 3.
	Failures int
	// BackOff is how long a breaker stays open at first; it doubles up to 5
	// minutes while the provider goes on failing. If zero, 10 s.
	BackOff time.Duration
	// OnSwitch is told of every switch, by the stream's goroutine. It must be
	// safe for concurrent use and not block. If nil, nobody is told.
	OnSwitch func(Switch)
}

// Chain implements [stt.Provider]. It is safe for concurrent use.
type Chain struct {
	links []Link
	opts  Options
	state breaker.Set
}

var _ stt.Provider = (*Chain)(nil)

// New returns a chain of at least one link by falling preference; opts may be
// nil.
func New(links []Link, opts *Options) *Chain {
	c := &Chain{links: links}
	if opts != nil {
		c.opts = *opts
	}
	for _, d := range []struct {
		value *time.Duration
		or    time.Duration
	}{
		{&c.opts.Opening, defaultOpening}, {&c.opts.Final, defaultFinal},
		{&c.opts.LastFinal, defaultLastFinal},
	} {
		if *d.value <= 0 {
			*d.value = d.or
		}
	}
	c.state = breaker.NewSet(len(links), c.opts.Failures, c.opts.BackOff)
	return c
}

// Name lists the providers in order.
func (c *Chain) Name() string {
	var names []string
	for _, l := range c.links {
		names = append(names, l.Provider.Name())
	}
	return strings.Join(names, ", then ")
}

// Open implements [stt.Provider]. It does not wait for a connection; that a
// provider cannot be reached shows in the utterances it should have heard.
// The stream itself never breaks: an utterance that nobody understood has its
// Err set.
func (c *Chain) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if ctx.Err() != nil {
		return nil, flow.Stopped(ctx)
	}
	convert, err := flow.NewConverter(o)
	if err != nil {
		return nil, fmt.Errorf("opening a stream: %w", err)
	}
	if len(c.links) == 0 {
		return nil, fmt.Errorf("opening a stream: %w: there is no provider", stt.ErrRejected)
	}
	s := &stream{
		chain: c, source: flow.Source(o), opts: o, convert: convert,
		audio: flow.NewAudio(flow.Limit(o)), results: flow.NewResults(),
		heard: make(chan heard), last: -1,
	}
	s.opts.SampleRate = flow.Rate
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.end = sync.OnceFunc(func() {
		s.audio.Fail(stt.ErrClosed)
		s.results.Fail(stt.ErrClosed)
		cancel(stt.ErrClosed)
		s.tasks.Wait()
	})
	s.tasks.Go(func() { s.run(life) })
	return s, nil
}

// pick returns the provider to ask next, -1 if there is none. It enters its
// breaker. Of those that are all open it takes the one that closes first, for
// there is nothing to lose. Excluded links are not taken.
func (c *Chain) pick(excluded []bool) int {
	link := c.state.Enter(excluded)
	if link < 0 {
		link = c.state.Soonest(excluded)
	}
	return link
}

// severe reports whether a failure opens a breaker at once.
func severe(err error) bool {
	return errors.Is(err, ErrSlow) || errors.Is(err, stt.ErrOverBudget) || errors.Is(err, stt.ErrRejected)
}
