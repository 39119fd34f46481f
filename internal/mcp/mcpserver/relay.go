package mcpserver

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// relayed bounds the progress reports of a call that wait to be sent; beyond
// that the newest are dropped, since a slow client must not hold up the call.
const relayed = 64

// relay sends a call's progress to its client. It owns a goroutine, which
// close ends and waits for.
type relay struct {
	mu      sync.Mutex // guards closed against reports that come late
	closed  bool
	reports chan *sdk.ProgressNotificationParams
	sent    chan struct{}
	token   any
	last    float64
}

func newRelay(ctx context.Context, to *sdk.ServerSession, token any) *relay {
	r := &relay{reports: make(chan *sdk.ProgressNotificationParams, relayed), sent: make(chan struct{}), token: token, last: -1}
	go func() { // close waits for it
		defer close(r.sent)
		for n := range r.reports {
			if ctx.Err() == nil {
				_ = to.NotifyProgress(ctx, n) // whoever left needs none
			}
		}
	}()
	return r
}

// sendProgress is an [mcp.Progress]. Progress that does not increase is left out, as
// the protocol wants it.
func (r *relay) sendProgress(done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || done <= r.last {
		return
	}
	select {
	case r.reports <- &sdk.ProgressNotificationParams{ProgressToken: r.token, Progress: done, Total: total, Message: message}:
		r.last = done
	default:
	}
}

func (r *relay) close() {
	r.mu.Lock()
	r.closed = true
	close(r.reports)
	r.mu.Unlock()
	<-r.sent
}
