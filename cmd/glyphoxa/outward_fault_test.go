package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// garbage are invalid messages and their error codes.
var garbage = []struct {
	name, text string
	code       int
}{
	{"no JSON", `{"jsonrpc":"2.0","id":7,`, -32700},
	{"no text at all", "\x00\x01\xfe", -32700},
	{"not an object", `42`, -32600},
	{"another version", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600},
	{"no method", `{"jsonrpc":"2.0","id":7}`, -32600},
	{"a method that is none", `{"jsonrpc":"2.0","id":7,"method":5}`, -32600},
}

// TestGarbageOnStreams checks that the server answers invalid messages with
// errors and keeps the session.
func TestGarbageOnStreams(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("rights.yaml")
	h.set("ANNEX", "http://127.0.0.1:1")
	server := h.serve()
	for name, open := range map[string]func(t testing.TB) *stream{
		"stdio": func(testing.TB) *stream { s, _ := h.stdio("--profile", "dm"); return s.handshake() },
		"stdio, dialect": func(testing.TB) *stream {
			s, _ := h.stdio("--profile", "dm")
			return s.bind("dm")
		},
		"websocket":          func(t testing.TB) *stream { return server.in(t).socket(secret("dm")).handshake() },
		"websocket, dialect": func(t testing.TB) *stream { return server.in(t).socket(secret("dm")).bind("dm") },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			for _, g := range garbage {
				s.send([]byte(g.text))
				for {
					_, r, n := s.message()
					if n.Method != "" {
						continue
					}
					if r.Error == nil || r.Error.Code != g.code || r.Error.Message == "" {
						t.Errorf("%s is answered by %+v, want error %d", g.name, r.Error, g.code)
					}
					break
				}
			}
			if r := s.ask("tools/call", map[string]any{"name": "roll", "arguments": d6}); r.Error != nil {
				t.Errorf("a call after that ends in %+v", r.Error)
			}
		})
	}
}

// TestGarbageOverHTTP checks the same for requests, and that other clients
// continue.
func TestGarbageOverHTTP(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("rights.yaml")
	h.set("ANNEX", "http://127.0.0.1:1")
	o := h.serve()
	for _, row := range []struct {
		name string
		open func(t testing.TB) *web
	}{
		{"in a session", func(t testing.TB) *web { return o.in(t).web(secret("dm")).handshake() }},
		{"newest", func(t testing.TB) *web {
			w := o.in(t).web(secret("dm")).stateless()
			w.header.Set("Mcp-Method", "ping")
			return w
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := row.open(t)
			for _, g := range garbage {
				if g.name == "no method" {
					continue // HTTP reads it as an answer without a request
				}
				if r := w.post([]byte(g.text)); r.status != http.StatusBadRequest {
					t.Errorf("%s is answered with status %d, want 400", g.name, r.status)
				}
			}
			if got := try(t, w, "roll", d6).code(); got != "" {
				t.Errorf("a call after that ends in %q", got)
			}
		})
	}
	t.Run("a body of 10 MB", func(t *testing.T) {
		w := o.in(t).web(secret("dm")).stateless()
		w.header.Set("Mcp-Method", "tools/call")
		w.header.Set("Mcp-Name", "roll")
		if r := w.post(huge("1")); r.status != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d, want 413", r.status)
		}
		s := o.in(t).web(secret("dm")).handshake()
		if r := s.post(huge("1")); r.status != http.StatusRequestEntityTooLarge {
			t.Errorf("in a session: status %d, want 413", r.status)
		}
		if got := try(t, s, "roll", d6).code(); got != "" {
			t.Errorf("a call after that ends in %q", got)
		}
	})
	t.Run("headers of 100 kB", func(t *testing.T) {
		w := o.in(t).web(secret("dm"))
		w.header.Set("X-Padding", strings.Repeat("a", 100<<10))
		if r := w.post(request(t, 1, "ping", nil)); r.status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status %d, want 431", r.status)
		}
	})
}

// huge is a request of 10 MB.
func huge(id string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"roll","arguments":{"expression":"%s"}}}`, id, bytes.Repeat([]byte("1"), 10<<20))
}

// TestHugeFrames checks that the server refuses a frame of 10 MB without
// buffering it, and that other clients are unaffected.
func TestHugeFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h := newProgram(t)
	h.configure("rights.yaml")
	h.set("ANNEX", "http://127.0.0.1:1")
	o := h.serve()
	other := o.socket(secret("dm")).handshake()
	before := memoryOf(t, o.cmd.Process.Pid)
	frame := huge("77")
	for range 20 { // 200 MB
		s := o.in(t).socket(secret("dm")).handshake()
		_ = s.put(frame) // the server may hang up before the whole frame arrives
		for {
			raw, err := s.get()
			if err != nil {
				break // the server hung up
			}
			if bytes.Contains(raw, []byte(`"error"`)) {
				break // the server answered with an error
			}
		}
	}
	if got := try(t, other, "roll", d6).code(); got != "" {
		t.Errorf("another client's call ends in %q", got)
	}
	if after := memoryOf(t, o.cmd.Process.Pid); before > 0 && after > before+150<<20 {
		t.Errorf("the program grew from %d to %d MB", before>>20, after>>20)
	}
	s, _ := h.stdio("--profile", "dm")
	s.handshake()
	s.send(huge("77"))
	if r := s.answer(77); r.Error == nil || !strings.Contains(r.Error.Message, "bytes") {
		t.Errorf("a line of 10 MB is answered by %+v, want it too large", r.Error)
	}
	if got := try(t, s, "roll", d6).code(); got != "" {
		t.Errorf("a call after that ends in %q", got)
	}
}

// memoryOf returns the memory of a process in bytes, or 0 if the system does
// not say.
func memoryOf(t testing.TB, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if runtime.GOOS != "linux" || err != nil {
		return 0
	}
	var size, pages int
	if _, err := fmt.Sscan(string(raw), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestSlowHeaders checks that the server hangs up on a client that sends its
// headers slowly, while it serves others.
func TestSlowHeaders(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h := newProgram(t)
	h.configure("rights.yaml")
	h.set("ANNEX", "http://127.0.0.1:1")
	o := h.serve()
	conn, err := net.Dial("tcp", o.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: "+o.addr+"\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if got := try(t, o.web(secret("dm")).stateless(), "roll", d6).code(); got != "" {
		t.Errorf("another client's call ends in %q", got)
	}
	if err := conn.SetReadDeadline(start.Add(limit)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("after %s the connection is still open: %v", time.Since(start), err)
	}
}

// TestOneFloods checks that a client that calls as fast as it can does not slow
// another.
func TestOneFloods(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("policy.yaml")
	h.set("FROM", "00:00")
	h.set("TO", "00:01")
	o := h.serve()
	flood := o.socket(secret("flood")).handshake()
	const calls = 2000
	done := make(chan error, 1)
	go func() { // ends when all calls are made; the test waits for it
		for i := range calls {
			if err := flood.put(request(t, 1000+i, "tools/call", map[string]any{"name": "roll", "arguments": d6})); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	calm := o.socket(secret("pardoned")).handshake()
	for range 20 {
		if got := try(t, calm, "roll", d6).code(); got != "" {
			t.Errorf("a calm client's call ends in %q", got)
		}
	}
	answered := 0
	for range calls {
		id, r, n := flood.message()
		for n.Method != "" {
			id, r, n = flood.message()
		}
		if r.Error != nil && !strings.Contains(fmt.Sprint(r.Error.Code), "-320") {
			t.Fatalf("call %s is answered by %+v", id, r.Error)
		}
		answered++
	}
	if err := <-done; err != nil || answered != calls {
		t.Errorf("%d of %d calls were answered, %v", answered, calls, err)
	}
}

// exists reports whether the world has an entity of that name.
func exists(t testing.TB, c talker, name string) bool {
	t.Helper()
	var list struct{ Entities []struct{ Name string } }
	if err := json.Unmarshal(try(t, c, "query_entities", map[string]any{"name": name}).StructuredContent, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Entities {
		if e.Name == name {
			return true
		}
	}
	return false
}

// TestKilledWhileWriting checks that kill -9 during writes leaves each of them
// complete or absent, and keeps those that were answered.
func TestKilledWhileWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h := newProgram(t)
	h.configure("rights.yaml")
	h.set("ANNEX", "http://127.0.0.1:1")
	content := strings.Repeat("The bell rang twice. ", 4000)
	answered := map[string]bool{}
	for round := range 3 {
		o := h.serve()
		s := o.socket(secret("dm")).handshake()
		for i := range 60 {
			name := fmt.Sprintf("Thing %d-%d", round, i)
			place := map[string]any{"tool": "place_entity", "arguments": map[string]any{"name": name, "type": "item"}}
			file := map[string]any{"tool": "write_file", "arguments": map[string]any{"path": fmt.Sprintf("f%d.txt", i%5), "content": content}}
			s.last = i + 1000
			s.send(request(t, s.last, "tools/call", map[string]any{"name": "batch", "arguments": map[string]any{"operations": []any{place, file}}}))
			if i == 30 { // wait for some of the answers; the kill cuts off the rest
				for range 20 {
					if id, ok := s.batched(); ok {
						answered[fmt.Sprintf("Thing %d-%d", round, id-1000)] = true
					}
				}
			}
		}
		o.kill()
	}
	o := h.serve()
	s := o.socket(secret("dm")).handshake()
	if len(answered) == 0 {
		t.Error("nothing was answered before the end")
	}
	for name := range answered {
		if !exists(t, s, name) {
			t.Errorf("%s was answered and is gone", name)
		}
	}
	for i := range 5 {
		var file struct{ Content string }
		res := try(t, s, "read_file", map[string]any{"path": fmt.Sprintf("f%d.txt", i)})
		if err := json.Unmarshal(res.StructuredContent, &file); err != nil {
			t.Errorf("reading f%d.txt: %v (%+v)", i, err, res.Meta.Error)
		}
		if file.Content != content {
			t.Errorf("f%d.txt is half written: %d of %d bytes", i, len(file.Content), len(content))
		}
	}
	var log struct{ Count int }
	if err := json.Unmarshal(try(t, s, "audit_query", map[string]any{"tool": "place_entity", "limit": 100}).StructuredContent, &log); err != nil || log.Count < 30 {
		t.Errorf("the audit log has %d records of placing, %v", log.Count, err)
	}
}

// batched reads the next answer and returns its id and whether every operation
// of that batch succeeded.
func (s *stream) batched() (id int, done bool) {
	s.t.Helper()
	for {
		text, r, n := s.message()
		if n.Method != "" {
			continue
		}
		var res struct{ StructuredContent struct{ OK bool } }
		r.into(s.t, &res)
		if err := json.Unmarshal([]byte(text), &id); err != nil {
			s.t.Fatalf("an answer under the id %s", text)
		}
		return id, res.StructuredContent.OK
	}
}
