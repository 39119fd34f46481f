// Package fakesocket is shared by the fakes of WebSocket services: it has a
// server on the loopback interface, a read loop and a write loop for each
// connection, and the faults of both. It knows no vendor, because the fakes
// define the messages and their meaning.
//
//	mux.HandleFunc("GET /v1/listen", func(w http.ResponseWriter, r *http.Request) {
//		if _, ok := fakesocket.Key(r, "Authorization", "Token "); !ok {
//			fakesocket.Answer(w, http.StatusUnauthorized, object{"error": "no key"})
//			return
//		}
//		s.sockets.Accept(w, r, 1<<20, func(ctx context.Context, c *fakesocket.Conn) {
//			for {
//				m, ok := c.Receive(ctx)
//				if !ok {
//					return
//				}
//				c.Send(object{"echo": string(m.Data)})
//			}
//		})
//	})
//	s.sockets = fakesocket.Start(t, mux)
//
// A fake guards its record of messages with a [News], on which tests wait.
package fakesocket

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// Server is an HTTP server on the loopback interface. Its methods are safe for concurrent use.
type Server struct {
	http  *httptest.Server
	life  context.Context // of the connections; ends with the test
	tasks sync.WaitGroup  // the connections' handlers

	mu       sync.Mutex // guards accepted
	accepted int
}

// Start starts a server that ends with t, after all its connections and their
// goroutines.
func Start(t testing.TB, handler http.Handler) *Server {
	t.Helper()
	life, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	s := &Server{life: life, http: httptest.NewServer(handler)}
	t.Cleanup(func() {
		cancel()
		s.http.Close()
		s.tasks.Wait()
	})
	return s
}

// URL returns the server's root, without a path.
func (s *Server) URL() string { return s.http.URL }

// Done returns a channel that is closed when the test ends.
func (s *Server) Done() <-chan struct{} { return s.life.Done() }

// Accept upgrades a request to a connection that accepts messages of at most
// limit bytes, and ends it when serve returns, after all messages have gone
// out. The context of serve ends when the connection breaks or the test ends.
func (s *Server) Accept(w http.ResponseWriter, r *http.Request, limit int64, serve func(context.Context, *Conn)) {
	s.tasks.Add(1) // while the HTTP server still waits for this handler
	defer s.tasks.Done()
	Accept(s.life, w, r, limit, func(ctx context.Context, c *Conn) {
		s.mu.Lock()
		c.number = s.accepted
		s.accepted++
		s.mu.Unlock()
		serve(ctx, c)
	})
}

// Accept is [Server.Accept] for a fake with its own HTTP server, for example
// one with a certificate. The connection ends with life.
func Accept(life context.Context, w http.ResponseWriter, r *http.Request, limit int64, serve func(context.Context, *Conn)) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // any origin
	if err != nil {
		return // Accept has answered
	}
	ws.SetReadLimit(limit)
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	c := &Conn{ws: ws, end: cancel, wake: make(chan struct{}, 1)}
	var writer sync.WaitGroup
	writer.Go(func() { c.write(ctx) })
	serve(ctx, c)
	c.Close(0, "")
	writer.Wait()
	cancel()
	c.tasks.Wait()
}

// Key returns the key in a header after a prefix, and whether it exists.
func Key(r *http.Request, header, prefix string) (key string, ok bool) {
	key, ok = strings.CutPrefix(r.Header.Get(header), prefix)
	return key, ok && key != ""
}

// Answer answers a request with JSON, for example a refusal.
func Answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// News is a mutex whose waiters wake when the guarded state changes. Its zero
// value is unlocked.
type News struct {
	sync.Mutex
	changed chan struct{} // closed by Announce; nil while no goroutine waits
}

// Announce wakes all waiting goroutines. The lock must be held.
func (n *News) Announce() {
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}

// Await waits until ready, called at once and after each change, returns true,
// and reports whether it did before ctx ended. The caller must not hold the
// lock, and ready runs without it.
func (n *News) Await(ctx context.Context, ready func() bool) bool {
	for {
		n.Lock()
		if n.changed == nil {
			n.changed = make(chan struct{})
		}
		changed := n.changed
		n.Unlock()
		if ready() {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
