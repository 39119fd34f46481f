package access

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// ErrOver means that a connection's token has expired or was revoked.
var ErrOver = errors.New("the token has expired or was revoked")

// Term says how long an identification is valid: until its access token expires, or until its client is
// removed from the configuration or changed there. The zero value is always valid, as for callers without a
// token.
type Term struct {
	expires time.Time
	revoked context.Context // nil unless the caller is a client in the configuration
}

// HasEnded reports whether the identification is no longer valid. This takes effect as soon as
// [Gatekeeper.SetClients] is called, even for open connections.
func (t Term) HasEnded() bool {
	return t.revoked != nil && t.revoked.Err() != nil || !t.expires.IsZero() && !time.Now().Before(t.expires)
}

// Within returns a context that ends with ctx, with the term, or when end is called. The caller must call
// end. If the term has ended, the context's cause is [ErrOver].
func (t Term) Within(ctx context.Context) (_ context.Context, end func()) {
	if t.revoked == nil && t.expires.IsZero() {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stops := make([]func() bool, 0, 2)
	if !t.expires.IsZero() {
		stops = append(stops, time.AfterFunc(time.Until(t.expires), func() { cancel(ErrOver) }).Stop)
	}
	if t.revoked != nil {
		stops = append(stops, context.AfterFunc(t.revoked, func() { cancel(ErrOver) }))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// SetClients replaces the configured clients. When it returns, the tokens of removed and changed clients are
// refused and their terms are over; other clients are not affected. On an error, nothing changes.
func (g *Gatekeeper) SetClients(all []config.Client) error {
	next := make([]tokenClient, 0, len(all))
	for i := range all {
		c, err := newClient(&all[i], g.profile)
		if err != nil {
			return fmt.Errorf("reading server.clients[%d]: %w", i, err)
		}
		next = append(next, c)
	}
	g.changing.Lock()
	defer g.changing.Unlock()
	var gone []context.CancelFunc
	if last := g.clients.Load(); last != nil {
		for _, before := range *last {
			if kept := before.among(next); kept != nil {
				kept.revoked, kept.revoke = before.revoked, before.revoke
			} else {
				gone = append(gone, before.revoke)
			}
		}
	}
	g.clients.Store(&next)
	for _, revoke := range gone {
		revoke()
	}
	return nil
}

// among returns the equal client in all, or nil.
func (c *tokenClient) among(all []tokenClient) *tokenClient {
	for i := range all {
		if all[i].digest == c.digest && reflect.DeepEqual(all[i].subject, c.subject) {
			return &all[i]
		}
	}
	return nil
}
