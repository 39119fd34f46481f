package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to see what happens

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// relayed bounds the progress reports and log messages of a call that wait to be sent;
// beyond that the newest are dropped, since a slow client must not hold up the call.
const relayed = 64

// relay sends a call's progress, and what its server logs, to its client. It owns a
// goroutine, which close ends and waits for.
type relay struct {
	to    *sdk.ServerSession
	token any

	mu      sync.Mutex // guards closed and last against reports that come late
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
				send(ctx) // whoever left needs none
			}
		}
	}()
	return r
}

// attend returns a context whose call reports to r, which may be nil, and passes on what a
// server logs from level on, if there is one.
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

// sendProgress is an [mcp.Progress]. Progress that does not increase is left out, as
// the protocol wants it.
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

// sendLog sends a message of a server's log, if its client wants that level.
func (r *relay) sendLog(level, logger string, data any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &sdk.LoggingMessageParams{Level: sdk.LoggingLevel(level), Logger: logger, Data: data}
	r.add(func(ctx context.Context) { _ = r.to.Log(ctx, m) })
}

// add has something sent, unless too much waits or the call is over. The caller holds r.mu.
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
