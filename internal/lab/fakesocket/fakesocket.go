// Package fakesocket is what the fakes of services that speak WebSocket have in common: a
// server on the loopback interface, a loop that reads and one that writes for each connection,
// and the faults of both. It knows no vendor: the messages and what they mean are the fake's.
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
// What a fake keeps of what came is guarded by a [News], by which tests wait for it.
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

// Start starts a server that ends with t, after all its connections and their goroutines.
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

// URL is the server's root, without a path.
func (s *Server) URL() string { return s.http.URL }

// Done is closed when the test ends.
func (s *Server) Done() <-chan struct{} { return s.life.Done() }

// Accept makes a request a connection that takes messages of at most limit bytes, and ends it
// when serve returns, once all that serve sent has gone out. The context of serve ends when the
// connection breaks or the test ends.
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

// Accept is [Server.Accept] for a fake with an HTTP server of its own, such as one with a
// certificate. The connection ends with life.
func Accept(life context.Context, w http.ResponseWriter, r *http.Request, limit int64, serve func(context.Context, *Conn)) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // a client of any origin
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

// Key returns the key in a header after a prefix, and whether there is one.
func Key(r *http.Request, header, prefix string) (key string, ok bool) {
	key, ok = strings.CutPrefix(r.Header.Get(header), prefix)
	return key, ok && key != ""
}

// Answer answers a request with JSON, such as a refusal in place of a connection.
func Answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// News is a lock that wakes those who wait for a change of what it guards. Its zero value is
// unlocked.
type News struct {
	sync.Mutex
	changed chan struct{} // closed by Announce; nil while no goroutine waits
}

// Announce wakes every goroutine that waits. The lock is held.
func (n *News) Announce() {
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}

// Await waits until ready is true, which it asks at once and after each change, and reports
// whether it became so before ctx ended. The lock is not held, not by ready's caller either.
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
