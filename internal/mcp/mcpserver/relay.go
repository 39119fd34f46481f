package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to see what happens

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// relayed bounds the queue of a call's progress reports and log messages. If it is full, new ones are
// dropped, because a slow client must not delay the call.
const relayed = 64

// relay sends a call's progress and its server's log messages to its client. It owns a goroutine; close ends
// it and waits.
type relay struct {
	to    *sdk.ServerSession
	token any

	mu      sync.Mutex // guards closed and last against late reports
	closed  bool
	last    float64
	reports chan func(context.Context)
	sent    chan struct{}
}

func newRelay(ctx context.Context, to *sdk.ServerSession, token any) *relay {
	r := &relay{to: to, token: token, reports: make(chan func(context.Context), relayed), sent: make(chan struct{}), last: -1}
	go func() { // close waits for it
		defer close(r.sent)
		for send := range r.reports {
			if ctx.Err() == nil {
				send(ctx) // an error means that the client has gone
			}
		}
	}()
	return r
}

// attend returns a context whose call reports to r, which may be nil. It forwards a server's log messages
// from level on; an empty level forwards none.
func (r *relay) attend(ctx context.Context, client string, level sdk.LoggingLevel) context.Context {
	if r == nil {
		return ctx
	}
	if r.token != nil {
		ctx = mcp.WithProgress(ctx, r.sendProgress)
	}
	if level != "" {
		ctx = mcp.WithClientLog(ctx, &mcp.ClientLog{Client: client, Level: string(level), Send: r.sendLog})
	}
	return ctx
}

// sendProgress is an [mcp.Progress]. It drops progress that does not increase, as the protocol requires.
func (r *relay) sendProgress(done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done <= r.last {
		return
	}
	n := &sdk.ProgressNotificationParams{ProgressToken: r.token, Progress: done, Total: total, Message: message}
	if r.add(func(ctx context.Context) { _ = r.to.NotifyProgress(ctx, n) }) {
		r.last = done
	}
}

// sendLog forwards a message of a server's log, if its client wants that level.
func (r *relay) sendLog(level, logger string, data any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &sdk.LoggingMessageParams{Level: sdk.LoggingLevel(level), Logger: logger, Data: data}
	r.add(func(ctx context.Context) { _ = r.to.Log(ctx, m) })
}

// add enqueues a message, unless the queue is full or the call is over. Callers hold mu.
func (r *relay) add(send func(context.Context)) bool {
	if r.closed {
		return false
	}
	select {
	case r.reports <- send:
		return true
	default:
		return false
	}
}

func (r *relay) close() {
	r.mu.Lock()
	r.closed = true
	close(r.reports)
	r.mu.Unlock()
	<-r.sent
}
