package providers

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// warmTime bounds how long a session's start tries to open connections.
const warmTime = 5 * time.Second

// Bounds of the connections to models and voices.
const (
	// idleConns are kept for each host that speaks HTTP/1.1, which takes one for
	// each request under way: enough for a hundred tables whose NPCs answer at
	// once.
	idleConns = 128
	// idleConn is longer than players usually talk among themselves.
	idleConn = 5 * time.Minute
)

// NewClient returns what sessions share to talk to models and voices, so that
// a connection one of them opened serves all. It sets no deadline: an answer may
// be long. Each provider gives it the policy for its own host.
func NewClient() *http.Client { return ClientOn(NewTransport()) }

// NewTransport returns connections for [ClientOn] that stay open between turns.
func NewTransport() *http.Transport {
	t := outbound.NewTransport()
	t.MaxIdleConnsPerHost, t.IdleConnTimeout = idleConns, idleConn
	return t
}

// ClientOn is [NewClient] on connections of the caller's.
func ClientOn(t *http.Transport) *http.Client {
	return outbound.Client(&http.Client{Transport: t}, outbound.Policy{})
}

// Warmer is a provider that can open its connections before they are needed.
type Warmer interface {
	// Warm opens them without cost. It returns soon after ctx ends.
	Warm(ctx context.Context) error
}

// Warm has all parts that can open their connections, so that the first turn
// finds them open. It returns after [warmTime] at most; what fails is the first
// turn's to find out.
func Warm(ctx context.Context, log *slog.Logger, parts ...any) {
	ctx, cancel := context.WithTimeout(ctx, warmTime)
	defer cancel()
	var work sync.WaitGroup
	for _, part := range parts {
		if w, ok := part.(Warmer); ok {
			work.Go(func() {
				start := time.Now()
				err := w.Warm(ctx)
				log.LogAttrs(ctx, slog.LevelDebug, "connections opened ahead of the first turn",
					slog.Duration("took", time.Since(start)), slog.Any("error", err))
			})
		}
	}
	work.Wait()
}

// Warm implements [Warmer].
func (t tuned) Warm(ctx context.Context) error {
	if w, ok := t.Provider.(Warmer); ok {
		return w.Warm(ctx)
	}
	return nil
}
