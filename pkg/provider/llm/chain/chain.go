// Package chain lets language models take over from each other, so that one
// that fails does not leave an NPC without an answer.
//
// Imported by internal/app. Each model has a breaker: one that failed three
// times in a row, refused a request, asked for a pause or kept everybody waiting
// is left alone for a while and then tried with a single request. The package
// starts no goroutine but timers, which end with the request, and those that
// [Chain.Warm] waits for, and relies on providers to end with their context.
package chain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/breaker"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Errors of a chain.
var (
	// ErrEmpty means a model whose answer ended before it began.
	ErrEmpty = errors.New("no answer came")
	// ErrSlow means a model whose first chunk took too long.
	ErrSlow = errors.New("the answer took too long to begin")
)

// defaultFirstChunk is Options.FirstChunk if that is zero.
const defaultFirstChunk = 4 * time.Second

// Link is one model of a chain.
type Link struct {
	// Name tells the link apart in notices, such as "openai gpt-4o-mini".
	Name     string
	Provider llm.Provider
}

// Switch says that another model answers from now on.
type Switch struct {
	// From answered before, To answers now; both are the links' names.
	From, To string
	// Reason is why From was given up; nil if To is back after a failure.
	Reason error
}

// Options configure a [Chain]. The zero value works.
type Options struct {
	// FirstChunk bounds the wait for the first chunk where another model can
	// take over; the last one left has the caller's time. If zero, 4 s.
	FirstChunk time.Duration
	// Failures in a row open a breaker. If zero, [breaker.DefaultFailures].
	Failures int
	// BackOff is how long an open breaker stays so at first; it doubles up to
	// [breaker.MaxBackOff]. If zero, [breaker.DefaultBackOff].
	BackOff time.Duration
	// OnSwitch is told of every switch that a failure or the end of one made,
	// by the goroutine that is about to deliver the answer. It is safe for
	// concurrent use and does not block. If nil, nobody is told.
	OnSwitch func(Switch)
}

// Chain implements [llm.Provider]. It is safe for concurrent use.
type Chain struct {
	links []Link
	opts  Options
	state breaker.Set
	times []recent // by link

	mu     sync.Mutex // guards the fields below
	active int        // the link that answers unless there is hurry
	why    error      // its predecessors' last failure
}

var _ llm.Provider = (*Chain)(nil)

// New returns a chain of links by falling preference; opts may be nil.
func New(links []Link, opts *Options) *Chain {
	c := &Chain{links: slices.Clone(links), times: make([]recent, len(links))}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.FirstChunk <= 0 {
		c.opts.FirstChunk = defaultFirstChunk
	}
	c.state = breaker.NewSet(len(links), c.opts.Failures, c.opts.BackOff)
	return c
}

// Name lists the models in order.
func (c *Chain) Name() string {
	var names []string
	for _, l := range c.links {
		names = append(names, l.Provider.Name())
	}
	return strings.Join(names, ", then ")
}

// CanHurry reports whether [llm.Request.Hurry] can make a difference: whether
// there is more than one link.
func (c *Chain) CanHurry() bool { return len(c.links) > 1 }

// Stream asks the first model that is fit to answer, or with req.Hurry the one
// that began fastest in the last minutes. One that fails, or is too slow, before
// its first chunk is followed by the next with the same request; an error after
// that ends the answer, since nothing may be said twice. If every breaker is
// open, the model that is due next is asked all the same. The error is the last
// model's. Cancelling ctx is nobody's failure.
func (c *Chain) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		failed := fmt.Errorf("%w: there is no model", llm.ErrRejected)
		tried := make([]bool, len(c.links))
		hurry := req.Hurry
		for first := true; ; first = false {
			link, hurried := c.next(tried, hurry)
			if link < 0 {
				break
			}
			hurry = false // whoever hurried and fell goes on in order
			tried[link] = true
			a := &attempt{chain: c, link: link, req: req, yield: yield, last: c.state.Ready(tried) == 0, hurried: hurried}
			if !first {
				a.reason = failed
			}
			err := a.run(ctx)
			if err == nil {
				return
			}
			failed = err
			if a.begun || ctx.Err() != nil {
				break
			}
		}
		yield(llm.Chunk{}, failed)
	}
}

// next returns the link to ask now, -1 if none is left, and whether it is for
// hurry alone. If no breaker lets anything through and nothing was tried yet,
// it is the one that is due first.
func (c *Chain) next(tried []bool, hurry bool) (link int, hurried bool) {
	if hurry {
		if fast := c.fastest(tried); fast > 0 && c.state[fast].Enter() {
			return fast, true
		}
	}
	link = c.state.Enter(tried)
	if link < 0 && !slices.Contains(tried, true) {
		link = c.state.Soonest(tried)
	}
	return link, false
}

// answering notes which link answers and tells of a change.
func (c *Chain) answering(link int, reason error) {
	c.mu.Lock()
	if reason != nil {
		c.why = reason
	}
	s := Switch{From: c.links[c.active].Name, To: c.links[link].Name}
	changed := c.active != link
	if link > c.active {
		s.Reason = c.why
	}
	c.active = link
	c.mu.Unlock()
	if changed && c.opts.OnSwitch != nil {
		c.opts.OnSwitch(s)
	}
}
