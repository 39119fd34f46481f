package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// attempt is one link's try at a request.
type attempt struct {
	chain   *Chain
	link    int
	req     llm.Request
	yield   func(llm.Chunk, error) bool
	last    bool  // nobody takes over
	hurried bool  // out of turn, because it is fast
	reason  error // why the link before was given up
	begun   bool  // a chunk was delivered
}

// run returns nil if the request was answered or the consumer has enough.
func (a *attempt) run(parent context.Context) error {
	c, state := a.chain, a.chain.state[a.link]
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	inTime := func() bool { return true }
	if !a.last {
		inTime = time.AfterFunc(c.opts.FirstChunk, func() { cancel(ErrSlow) }).Stop
	}
	defer inTime()
	start := time.Now()
	var failed error
	for chunk, err := range c.links[a.link].Provider.Stream(ctx, a.req) {
		if err != nil {
			failed = err
			break
		}
		if !a.begun {
			if blank(chunk) {
				continue
			}
			if !inTime() {
				break // too late by a hair: the stream is being cancelled
			}
			a.begun = true
			c.times[a.link].add(time.Since(start))
			if !a.hurried {
				c.answering(a.link, a.reason)
			}
		}
		if !a.yield(chunk, nil) {
			state.Succeeded()
			return nil
		}
	}
	return a.judge(parent, ctx, failed)
}

// judge turns the outcome of a try into the breaker's business and an error.
func (a *attempt) judge(parent, ctx context.Context, failed error) error {
	name, state := a.chain.links[a.link].Name, a.chain.state[a.link]
	switch {
	case parent.Err() != nil:
		state.Abandoned()
		if failed == nil {
			failed = context.Cause(parent)
		}
		return failed
	case errors.Is(context.Cause(ctx), ErrSlow):
		a.chain.times[a.link].add(a.chain.opts.FirstChunk)
		state.Failed(true, 0)
		return fmt.Errorf("%s: %w", name, ErrSlow)
	case failed == nil && !a.begun:
		failed = ErrEmpty
	case failed == nil:
		state.Succeeded()
		return nil
	}
	var busy interface{ RetryAfter() time.Duration }
	wait := time.Duration(0)
	if errors.As(failed, &busy) {
		wait = busy.RetryAfter()
	}
	state.Failed(wait > 0 || errors.Is(failed, llm.ErrRejected) || errors.Is(failed, llm.ErrRateLimited), wait)
	return fmt.Errorf("%s: %w", name, failed)
}

// blank reports whether a chunk says nothing, so that another model could still
// answer: an answer that ends there was none.
func blank(c llm.Chunk) bool {
	return strings.TrimSpace(c.Text) == "" && len(c.ToolCalls) == 0
}
