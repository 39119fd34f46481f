package mcphost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// website is an MCP server over HTTP that misbehaves as told.
type website struct {
	*httptest.Server
	gate     func(w http.ResponseWriter, r *http.Request, method string) bool // answers itself if true; nil never does
	session  atomic.Int32                                                     // the one it knows
	sessions atomic.Int32                                                     // it has opened

	mu    sync.Mutex // guards the fields below
	calls map[string]int
	auth  map[string]bool // Authorization headers seen
}

func newWebsite(t *testing.T, start func(http.Handler) *httptest.Server) *website {
	t.Helper()
	w := &website{calls: map[string]int{}, auth: map[string]bool{}}
	w.Server = start(w)
	t.Cleanup(w.Close)
	return w
}

func (s *website) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal(body, &m)
	s.mu.Lock()
	s.auth[r.Header.Get("Authorization")] = true
	s.mu.Unlock()
	if s.gate != nil && s.gate(w, r, m.Method) {
		return
	}
	known := fmt.Sprint("session-", s.session.Load())
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete:
	case m.Method == "initialize":
		n := s.sessions.Add(1)
		s.session.Store(n)
		w.Header().Set("Mcp-Session-Id", fmt.Sprint("session-", n))
		reply(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`)
	case m.Method == "server/discover":
		w.WriteHeader(http.StatusBadRequest)
	case r.Header.Get("Mcp-Session-Id") != known:
		w.WriteHeader(http.StatusNotFound)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		reply(w, m.ID, `{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
			{"name":"act","inputSchema":{"type":"object"}},{"name":"huge","inputSchema":{"type":"object"}},{"name":"huge_stream","inputSchema":{"type":"object"}}]}`)
	case m.Method == "tools/call":
		s.call(w, m.ID, m.Params.Name)
	default:
		reply(w, m.ID, `{}`)
	}
}

func (s *website) call(w http.ResponseWriter, id json.RawMessage, tool string) {
	s.mu.Lock()
	s.calls[tool]++
	s.mu.Unlock()
	if tool == "huge_stream" {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n\n", id, strings.Repeat("x", 50<<20))
		return
	}
	text := "done"
	if tool == "huge" {
		text = strings.Repeat("x", 50<<20)
	}
	reply(w, id, fmt.Sprintf(`{"content":[{"type":"text","text":"%s"}]}`, text))
}

// count returns how often a tool was called.
func (s *website) count(tool string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[tool]
}

// shown lists the Authorization headers seen.
func (s *website) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for a := range s.auth {
		all = append(all, a)
	}
	return strings.Join(all, "|")
}

func reply(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// at starts a server at an address that is known already.
func at(t *testing.T, address string) func(http.Handler) *httptest.Server {
	return func(h http.Handler) *httptest.Server {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
		s.Start()
		return s
	}
}
