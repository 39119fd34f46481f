package mcpserver

import (
	"context"
	"net"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// connKey is the context key of a request's *connection.
type connKey struct{}

// connection is a network connection that serves HTTP until a WebSocket takes it over.
type connection struct {
	net.Conn
	held   *holding // nil behind a trusted proxy, which bounds its own connections
	caller string   // the last caller that showed a token; owned by the goroutine that serves the connection
}

// openConnection counts a new connection as a stranger's, and returns the context for its requests.
func (w *Web) openConnection(ctx context.Context, c net.Conn) context.Context {
	known := &connection{Conn: c}
	address, proxy := w.o.Gatekeeper.Peer(c.RemoteAddr().String())
	if !proxy {
		h, why := w.connections.acquire("", address, func() { _ = c.Close() })
		if why != nil {
			_ = c.Close()
			return ctx
		}
		h.release() // idle until the first request
		known.held = h
		w.held.Store(c, h)
	}
	return context.WithValue(ctx, connKey{}, known)
}

// followConnection releases what openConnection took when the connection ends.
func (w *Web) followConnection(c net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	if h, ok := w.held.LoadAndDelete(c); ok {
		h.(*holding).free()
	}
}

// busied marks a connection as busy during each of its requests.
func (w *Web) busied(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if c := connectionOf(r); c != nil && c.held != nil {
			c.held.begin()
			defer c.held.release()
		}
		next.ServeHTTP(rw, r)
	})
}

func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connKey{}).(*connection)
	return c
}

// claimConnection counts the connection of r towards the caller whose token it carries. It returns a refusal
// if that caller may not have more connections.
func (w *Web) claimConnection(r *http.Request, s *access.Subject) *mcp.Refusal {
	c, who := connectionOf(r), holderOf(s)
	if c == nil || c.held == nil || who == "" || c.caller == who {
		return nil
	}
	if why := c.held.transferTo(who, s.Address); why != nil {
		return why
	}
	c.caller = who
	return nil
}
