package providers

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// warmTime limits the opening of connections at a session's start.
const warmTime = 5 * time.Second

// Limits of the connections to models and voices.
const (
	// idleConns is the number of idle connections per host. HTTP/1.1 needs one per
	// concurrent request, so this is enough for a hundred tables whose NPCs answer at
	// once.
	idleConns = 128
	// idleConn is longer than players usually talk among themselves.
	idleConn = 5 * time.Minute
)

// NewClient returns the client that sessions share for models and voices, so that they
// reuse connections. It sets no deadline, because an answer may be long. Each provider
// adds the policy for its own host.
func NewClient() *http.Client { return ClientOn(NewTransport()) }

// NewTransport returns a transport for [ClientOn] whose connections stay open between
// turns.
func NewTransport() *http.Transport {
	t := outbound.NewTransport()
	t.MaxIdleConnsPerHost, t.IdleConnTimeout = idleConns, idleConn
	return t
}

// ClientOn is [NewClient] with the caller's transport.
func ClientOn(t *http.Transport) *http.Client {
	return outbound.Client(&http.Client{Transport: t}, outbound.Policy{})
}

// Warmer is a provider that can open its connections before they are needed.
type Warmer interface {
	// Warm opens the connections without cost. It returns soon after ctx ends.
	Warm(ctx context.Context) error
}

// Warm opens the connections of all parts that can, so that the first turn finds them
// open. It returns after at most [warmTime] and only logs errors, because the first turn
// would report them.
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
