package llm

// A chain makes language models take over from each other, so that a failing model does not leave an NPC
// without an answer.
//
// Each model has a breaker: a model that failed three times in a row, refused a request, asked for a pause or
// was too slow is skipped for a while and then tried with a single request. A chain starts no goroutines
// other than those of package fallback, and relies on providers to end with their context.

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
	// ErrEmpty means that a model's answer ended before it began.
	ErrEmpty = errors.New("no answer came")
	// ErrSlow means that a model's first chunk took too long.
	ErrSlow = errors.New("the answer took too long to begin")

	errNone = fmt.Errorf("%w: there is no model", ErrRejected)
)

// severe lists the errors that open a breaker at once.
var severe = []error{ErrRejected, ErrRateLimited}

// defaultFirstChunk is the default of [ChainOptions].FirstChunk.
const defaultFirstChunk = 4 * time.Second

type (
	// Link is one model of a chain, such as "openai gpt-4o-mini".
	Link = fallback.Link[Provider]
	// Switch reports that another model answers from now on.
	Switch = fallback.Switch
)

// ChainOptions configure a [Chain]. The zero value is ready to use.
type ChainOptions struct {
	// FirstChunk is the maximum wait for the first chunk if another model can take over; the last remaining
	// model may use all the time of the caller. The default is 4 s.
	FirstChunk time.Duration
	// Failures, BackOff and OnSwitch are those of [fallback.Options]. OnSwitch is called by the goroutine
	// that is about to deliver the answer.
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

// NewChain returns a chain of links in order of preference; opts may be nil.
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

// CanHurry reports whether [Request.Hurry] can make a difference, that is, whether there is more than one
// link.
func (c *Chain) CanHurry() bool { return len(c.links.Links) > 1 }

// Stream asks the first available model, or with req.Hurry the one that has begun fastest in the last
// minutes, by the rules of [fallback.Stream].
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

// begins reports whether a chunk starts the answer. A chunk without content does not, because an answer that
// ends there is empty. Held text counts, because a model that writes is not slow to begin.
func begins(c Chunk) bool {
	return strings.TrimSpace(c.Text) != "" || len(c.ToolCalls) > 0 || c.Held
}
