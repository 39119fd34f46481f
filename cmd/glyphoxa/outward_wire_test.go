package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// talker is a raw client on one transport. It uses no client library, because a
// library would hide the server's mistakes.
type talker interface {
	// ask sends a request and returns its answer.
	ask(method string, params any) reply
}

// reply is the answer to one request.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	status int // of HTTP; 0 elsewhere
}

// into decodes the result.
func (r reply) into(t testing.TB, v any) {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("error %d: %s", r.Error.Code, r.Error.Message)
	}
	if err := json.Unmarshal(r.Result, v); err != nil {
		t.Fatalf("decoding %s: %v", r.Result, err)
	}
}

// request encodes a request; id 0 makes it a notification.
func request(t testing.TB, id int, method string, params any) []byte {
	t.Helper()
	msg := map[string]any{"jsonrpc": "2.0", "method": method}
	if id != 0 {
		msg["id"] = id
	}
	if params != nil {
		msg["params"] = params
	}
	raw, err := json.Marshal(msg)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// note is a notification from the server.
type note struct {
	Method string
	Params json.RawMessage
}

// stream is a talker over a long-lived connection: standard streams or a
// WebSocket.
type stream struct {
	t    testing.TB
	put  func([]byte) error
	get  func() ([]byte, error)
	last int
	// notes are notifications read while waiting for answers.
	notes []note
}

func (s *stream) ask(method string, params any) reply {
	s.t.Helper()
	s.last++
	s.send(request(s.t, s.last, method, params))
	return s.answer(s.last)
}

func (s *stream) tell(method string, params any) {
	s.t.Helper()
	s.send(request(s.t, 0, method, params))
}

func (s *stream) send(raw []byte) {
	s.t.Helper()
	if err := s.put(raw); err != nil {
		s.t.Fatalf("sending %.200s: %v", raw, err)
	}
}

// message reads the next message of any kind.
func (s *stream) message() (id string, r reply, n note) {
	s.t.Helper()
	raw, err := s.get()
	if err != nil {
		s.t.Fatalf("reading: %v", err)
	}
	var m struct {
		ID json.RawMessage
		note
		reply
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		s.t.Fatalf("the server says %q: %v", raw, err)
	}
	return string(m.ID), m.reply, m.note
}

// answer reads to the answer to a request.
func (s *stream) answer(id int) reply {
	s.t.Helper()
	for {
		got, r, n := s.message()
		if got == fmt.Sprint(id) {
			return r
		}
		if n.Method != "" {
			s.notes = append(s.notes, n)
		}
	}
}

// note returns the next notification of a method, already read or not.
func (s *stream) note(method string) json.RawMessage {
	s.t.Helper()
	for {
		for i, n := range s.notes {
			if n.Method == method {
				s.notes = append(s.notes[:i:i], s.notes[i+1:]...)
				return n.Params
			}
		}
		if _, _, n := s.message(); n.Method != "" {
			s.notes = append(s.notes, n)
		}
	}
}

// handshake opens the protocol in a revision with sessions.
func (s *stream) handshake() *stream {
	s.t.Helper()
	s.ask("initialize", opening("2025-06-18")).into(s.t, &struct{}{})
	s.tell("notifications/initialized", nil)
	return s
}

// bind opens the older dialect with a profile.
func (s *stream) bind(profile string) *stream {
	s.t.Helper()
	s.ask("initialize", map[string]any{"agentId": "tester", "sessionId": "s1", "profile": profile}).into(s.t, &struct{}{})
	return s
}

func opening(revision string) map[string]any {
	return map[string]any{
		"protocolVersion": revision, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "tester", "version": "1"},
	}
}

// stdio starts "glyphoxa mcp serve --stdio" and connects to it.
func (h *program) stdio(args ...string) (*stream, *session) {
	h.t.Helper()
	p := h.start(append([]string{"mcp", "serve", "--stdio"}, args...)...)
	s := &stream{t: h.t}
	s.put = func(b []byte) error { _, err := p.in.Write(append(bytes.Clone(b), '\n')); return err }
	s.get = func() ([]byte, error) { return p.out.ReadBytes('\n') }
	return s, p
}

// outward is a running "glyphoxa mcp serve".
type outward struct {
	t    testing.TB
	h    *program
	cmd  *exec.Cmd
	addr string
	said chan string // all of stderr, once it has ended

	mu   sync.Mutex // guards done
	done bool
}

// serve starts the network transports on a free port.
func (h *program) serve(args ...string) *outward {
	h.t.Helper()
	o := &outward{t: h.t, h: h, said: make(chan string, 1)}
	ctx, cancel := context.WithCancel(context.Background()) // the program serves for the length of the test
	h.t.Cleanup(cancel)
	o.cmd = h.commandIn(ctx, append([]string{"mcp", "serve", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := o.cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := o.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { o.kill() })
	ready := make(chan string, 1)
	go func() { // ends with the program, for which kill and ended wait
		var said strings.Builder
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			said.WriteString(lines.Text() + "\n")
			if addr, ok := strings.CutPrefix(lines.Text(), "glyphoxa mcp listening on http://"); ok {
				ready <- addr
			}
		}
		close(ready)
		o.said <- said.String()
	}()
	if o.addr = <-ready; o.addr == "" {
		h.t.Fatalf("the server ended before it listened: %s", <-o.said)
	}
	return o
}

// kill ends the program at once, as kill -9 does.
func (o *outward) kill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return
	}
	o.done = true
	_ = o.cmd.Process.Kill() // it may have ended by itself
	_ = o.cmd.Wait()
}

// ended waits for the program to end by itself.
func (o *outward) ended() result {
	o.t.Helper()
	said := <-o.said
	err := o.cmd.Wait()
	o.mu.Lock()
	o.done = true
	o.mu.Unlock()
	r := result{stderr: said, code: exitCode(o.t, o.cmd, err)}
	o.h.keeps(r)
	return r
}

// secret is a client's token in rights.yaml.
func secret(profile string) string { return "the-secret-token-of-" + profile }

// dial opens a WebSocket.
func (o *outward) dial(header http.Header, protocols ...string) (*websocket.Conn, *http.Response, error) {
	opts := &websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols, Host: header.Get("Host")}
	return websocket.Dial(o.t.Context(), "ws://"+o.addr+"/ws", opts)
}

// socket talks over a WebSocket as the client with a token.
func (o *outward) socket(token string) *stream {
	o.t.Helper()
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	conn, resp, err := o.dial(header, "mcp")
	if err != nil {
		o.t.Fatalf("dialling: %v (%v)", err, resp)
	}
	o.t.Cleanup(func() { _ = conn.CloseNow() })
	return over(o.t, conn)
}

// over talks over an open WebSocket.
func over(t testing.TB, conn *websocket.Conn) *stream {
	conn.SetReadLimit(64 << 20)
	return &stream{
		t:   t,
		put: func(b []byte) error { return conn.Write(t.Context(), websocket.MessageText, b) },
		get: func() ([]byte, error) {
			_, b, err := conn.Read(t.Context())
			return b, err
		},
	}
}

// web talks over streamable HTTP.
type web struct {
	t        testing.TB
	url      string
	header   http.Header
	newest   bool // 2026-07-28, which has no sessions
	last     int
	response *http.Response // the last one; its body is closed
	client   *http.Client   // nil means the default client
}

func (w *web) httpClient() *http.Client {
	if w.client != nil {
		return w.client
	}
	return http.DefaultClient
}

const newest = "2026-07-28"

// web returns an HTTP client with a token and a session.
func (o *outward) web(token string) *web {
	w := &web{t: o.t, url: "http://" + o.addr + "/mcp", header: http.Header{}}
	w.header.Set("Content-Type", "application/json")
	w.header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		w.header.Set("Authorization", "Bearer "+token)
	}
	return w
}

// stateless switches to the newest revision.
func (w *web) stateless() *web {
	w.newest = true
	w.header.Set("Mcp-Protocol-Version", newest)
	return w
}

// handshake opens a session.
func (w *web) handshake() *web {
	w.t.Helper()
	w.ask("initialize", opening("2025-06-18")).into(w.t, &struct{}{})
	w.header.Set("Mcp-Session-Id", w.response.Header.Get("Mcp-Session-Id"))
	w.header.Set("Mcp-Protocol-Version", "2025-06-18")
	if r := w.post(request(w.t, 0, "notifications/initialized", nil)); r.status != http.StatusAccepted {
		w.t.Fatalf("initialized is answered with status %d", r.status)
	}
	return w
}

func (w *web) ask(method string, params any) reply {
	w.t.Helper()
	w.last++
	if w.newest {
		params = w.modern(method, params)
	}
	return w.post(request(w.t, w.last, method, params))
}

// modern adds the fields that the newest revision requires in every request.
func (w *web) modern(method string, params any) any {
	all := map[string]any{}
	if p, ok := params.(map[string]any); ok {
		for k, v := range p {
			all[k] = v
		}
	}
	const meta = "io.modelcontextprotocol/"
	all["_meta"] = map[string]any{
		meta + "protocolVersion": newest, meta + "clientCapabilities": map[string]any{},
		meta + "clientInfo": map[string]any{"name": "tester", "version": "1"},
	}
	w.header.Set("Mcp-Method", method)
	w.header.Del("Mcp-Name")
	for _, key := range []string{"name", "uri"} {
		if name, ok := all[key].(string); ok {
			w.header.Set("Mcp-Name", name)
		}
	}
	return all
}

// post sends a body and returns the answer to its last request, from JSON or an
// event stream. If the response contains no message, only its status is set.
func (w *web) post(body []byte) reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = w.header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := w.httpClient().Do(req)
	if err != nil {
		w.t.Fatalf("posting: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	w.response = resp
	r := reply{status: resp.StatusCode}
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadBytes('\n')
		raw := bytes.TrimPrefix(line, []byte("data: "))
		var m struct {
			ID int `json:"id"`
			reply
		}
		if json.Unmarshal(raw, &m) == nil && (m.Result != nil || m.Error != nil) {
			m.reply.status = r.status
			r = m.reply
			if m.ID == w.last {
				return r
			}
		}
		if err != nil {
			return r
		}
	}
}
