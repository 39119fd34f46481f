package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxMoment is the time reserved for reporting the results so far.
const maxMoment = 50 * time.Millisecond

// outcome is how a call ended. raw is JSON, or nil if the call returned nothing.
type outcome struct {
	raw  json.RawMessage
	err  error
	took time.Duration
}

// fit subtracts the size of the result from left. It drops a result that does not fit.
func (o *outcome) fit(left *int) {
	if len(o.raw) <= *left {
		*left -= len(o.raw)
		return
	}
	if o.err == nil {
		o.err = mcp.PublicError(fmt.Errorf("the call was made, but its result of %d bytes would make the whole larger than %d KiB", len(o.raw), MaxResult>>10))
	}
	o.raw = nil
}

// callThrough makes one call through the caller's door.
func callThrough(ctx context.Context, tool, args string) outcome {
	start := time.Now()
	// Progress reports from within a step would confuse a client that watches the whole
	// run.
	res, err := mcp.Through(mcp.WithProgress(ctx, nil), tool, args)
	o := outcome{raw: content(res), err: err, took: time.Since(start)}
	if err == nil && res.IsError {
		text := untrusted.Clean(res.Text, maxMessage)
		if text == "" {
			text = "the tool reports an error without saying which"
		}
		o.err = errors.New(text)
	}
	return o
}

// content returns a result as JSON: its structured content if it has any, otherwise its text, which may
// itself be JSON.
func content(res mcp.Result) json.RawMessage {
	if len(res.Structured) > 0 && json.Valid(res.Structured) {
		return res.Structured
	}
	if res.Text == "" {
		return nil
	}
	if c := res.Text[0]; (c == '{' || c == '[') && json.Valid([]byte(res.Text)) {
		return json.RawMessage(res.Text)
	}
	b, err := marshal(res.Text)
	if err != nil {
		return nil // marshalling a string cannot fail
	}
	return b
}

// early returns a context that ends slightly before ctx's own deadline, so that there is time left to report
// the results so far.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	moment := min(time.Until(deadline)/20, maxMoment)
	return context.WithDeadlineCause(ctx, deadline.Add(-moment), mcp.ErrTimeout)
}

// fan calls do for 0 to n-1, at most limit at a time, and passes each return value to done on the caller's
// goroutine. It starts no more calls once ctx is done, and it returns when all started calls have ended.
func fan(ctx context.Context, n, limit int, do func(int) outcome, done func(int, outcome)) {
	if n == 1 || limit == 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			done(i, do(i))
		}
		return
	}
	type ended struct {
		i int
		o outcome
	}
	results := make(chan ended, limit)
	for begun, running := 0, 0; ; running-- {
		for ; begun < n && running < limit && ctx.Err() == nil; begun, running = begun+1, running+1 {
			go func(i int) { results <- ended{i, do(i)} }(begun)
		}
		if running == 0 {
			return
		}
		e := <-results
		done(e.i, e.o)
	}
}
