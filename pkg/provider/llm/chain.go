package llm

// A chain lets language models take over from each other, so that one
// that fails does not leave an NPC without an answer.
//
// Each model has a breaker: one that failed three times in a row, refused a
// request, asked for a pause or kept everybody waiting is left alone for a while
// and then tried with a single request. The package starts no goroutine but what
// package fallback does, and relies on providers to end with their context.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
)

// Errors of a chain.
var (
	// ErrEmpty means a model whose answer ended before it began.
	ErrEmpty = errors.New("no answer came")
	// ErrSlow means a model whose first chunk took too long.
	ErrSlow = errors.New("the answer took too long to begin")

	errNone = fmt.Errorf("%w: there is no model", ErrRejected)
)

// severe are the errors that open a breaker at once.
var severe = []error{ErrRejected, ErrRateLimited}

// defaultFirstChunk is Options.FirstChunk if that is zero.
const defaultFirstChunk = 4 * time.Second

type (
	// Link is one model of a chain, such as "openai gpt-4o-mini".
	Link = fallback.Link[Provider]
	// Switch says that another model answers from now on.
	Switch = fallback.Switch
)

// ChainOptions configure a [Chain]. The zero value works.
type ChainOptions struct {
	// FirstChunk bounds the wait for the first chunk where another model can
	// take over; the last one left has the caller's time. If zero, 4 s.
	FirstChunk time.Duration
	// Failures, BackOff and OnSwitch are those of [fallback.Options]; OnSwitch is
	// called by the goroutine that is about to deliver the answer.
	Failures int
	BackOff  time.Duration
	OnSwitch func(Switch)
}

// Chain implements [Provider]. It is safe for concurrent use.
type Chain struct {
	links      *fallback.Chain[Provider]
	firstChunk time.Duration
	times      []recent // by link
}

var _ Provider = (*Chain)(nil)

// NewChain returns a chain of links by falling preference; opts may be nil.
func NewChain(links []Link, opts *ChainOptions) *Chain {
	var o ChainOptions
	if opts != nil {
		o = *opts
	}
	c := &Chain{
		links:      fallback.New(links, fallback.Options{Failures: o.Failures, BackOff: o.BackOff, OnSwitch: o.OnSwitch}),
		firstChunk: o.FirstChunk, times: make([]recent, len(links)),
	}
	if c.firstChunk <= 0 {
		c.firstChunk = defaultFirstChunk
	}
	return c
}

// Name lists the models in order.
func (c *Chain) Name() string { return c.links.Name() }

// Warm opens the connections of all models, see [fallback.Chain.Warm].
func (c *Chain) Warm(ctx context.Context) error { return c.links.Warm(ctx) }

// CanHurry reports whether [Request.Hurry] can make a difference: whether
// there is more than one link.
func (c *Chain) CanHurry() bool { return len(c.links.Links) > 1 }

// Stream asks the first model that is fit to answer, or with req.Hurry the one
// that began fastest in the last minutes, by the rules of [fallback.Stream].
func (c *Chain) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		call := &fallback.Call[Provider, Chunk]{
			Ask: func(ctx context.Context, link int) iter.Seq2[Chunk, error] {
				return c.links.Links[link].Provider.Stream(ctx, req)
			},
			Begins: begins, First: c.firstChunk,
			Timed: func(link int, took time.Duration) { c.times[link].add(took) },
			None:  errNone, Slow: ErrSlow, Empty: ErrEmpty, Severe: severe,
		}
		if req.Hurry {
			if fast := c.fastest(); fast > 0 && c.links.Breakers[fast].Enter() {
				call.Hurried = fast
			}
		}
		fallback.Stream(ctx, c.links, call, yield)
	}
}

// begins reports whether an answer begins with a chunk. One that says nothing is
// no beginning: an answer that ends there was none.
func begins(c Chunk) bool {
	return strings.TrimSpace(c.Text) != "" || len(c.ToolCalls) > 0
}
