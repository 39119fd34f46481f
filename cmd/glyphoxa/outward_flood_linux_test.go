package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const (
	floodSize    = 5000
	floodWorkers = 64
	floodAfter   = 2 * time.Minute // the time within which everything that a flood began must end
	floodSpare   = 40              // goroutines that may be left beyond those before
)

// wrongTokens is the flood that only tries tokens.
const wrongTokens = "wrong tokens"

// flood is something a stranger opens or tries many times and never closes.
type flood struct {
	name string
	// open opens one and returns its result and a function that closes it,
	// which may be nil.
	open func(o *outward) (outcome string, end io.Closer)
}

func floods() []flood {
	var guesses atomic.Int64
	return []flood{
		{wrongTokens, func(o *outward) (string, io.Closer) {
			n := fmt.Sprint(guesses.Add(1))
			return o.stranger("POST", string(request(o.t, 1, "initialize", opening("2025-06-18"))), http.Header{"Authorization": {"Bearer " + n + secret("dm") + n}})
		}},
		{"sessions", func(o *outward) (string, io.Closer) {
			return o.stranger("POST", string(request(o.t, 1, "initialize", opening("2025-06-18"))), nil)
		}},
		{"silent sockets", func(o *outward) (string, io.Closer) {
			conn, resp, err := o.dial(http.Header{}, "mcp")
			if err != nil {
				if resp != nil {
					return resp.Status, nil
				}
				return "cut", nil
			}
			return "open", closerOf(conn.CloseNow)
		}},
		{"sockets that begin", func(o *outward) (string, io.Closer) {
			conn, _, err := o.dial(http.Header{}, "mcp")
			if err != nil {
				return "cut", nil
			}
			if conn.Write(o.t.Context(), websocket.MessageText, request(o.t, 1, "initialize", opening("2025-06-18"))) != nil {
				return "cut", closerOf(conn.CloseNow)
			}
			return "open", closerOf(conn.CloseNow)
		}},
		{"silent connections", func(o *outward) (string, io.Closer) { return o.raw("") }},
		{"slow headers", func(o *outward) (string, io.Closer) { return o.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\n") }},
		{"slow bodies", func(o *outward) (string, io.Closer) {
			return o.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{")
		}},
		{"streams and polls", func(o *outward) (string, io.Closer) {
			code, end := o.raw(listening(o.t, "subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}}))
			if end != nil {
				_, more := o.raw(listening(o.t, "state/poll", map[string]any{"since": 1, "waitMs": 25000}))
				if more != nil {
					return code, closerOf(func() error { _ = more.Close(); return end.Close() })
				}
			}
			return code, end
		}},
	}
}

// listening is a request of the newest revision as bytes, for a connection that
// reads no answer.
func listening(t testing.TB, method string, params map[string]any) string {
	w := &web{t: t, header: http.Header{}}
	body := request(t, 1, method, w.modern(method, params))
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: %s\r\nMcp-Method: %s\r\nContent-Length: %d\r\n\r\n%s", newest, method, len(body), body)
}

type closerOf func() error

func (c closerOf) Close() error { return c() }

// raw opens a connection and sends the beginning of a request.
func (o *outward) raw(beginning string) (string, io.Closer) {
	conn, err := net.Dial("tcp", o.addr)
	if err != nil {
		return "cut", nil
	}
	if _, err := io.WriteString(conn, beginning); err != nil {
		return "cut", conn
	}
	return "open", conn
}

// stranger sends a request without a token over a reused connection.
func (o *outward) stranger(method, body string, header http.Header) (string, io.Closer) {
	req, err := http.NewRequestWithContext(o.t.Context(), method, "http://"+o.addr+"/mcp", bytes.NewReader([]byte(body)))
	if err != nil {
		return err.Error(), nil
	}
	req.Header = o.web("").header
	for key, values := range header {
		req.Header[key] = values
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "cut", nil
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "cut", nil
	}
	return resp.Status, nil
}

// TestFloods lets a stranger open 5,000 of everything that needs no token, from
// the DM's address, without closing any, or try 5,000 wrong tokens. The DM's
// client, which continues, reconnects and opens sessions and sockets, is never
// refused and hardly delayed. Afterwards the program is as small as before.
func TestFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	rest := atRest(t)
	t.Logf("calls at rest: %s; opening something for each: %s", spread(rest.took), spread(rest.opening))
	for _, attack := range floods() {
		t.Run(attack.name, func(t *testing.T) {
			h := newProgram(t)
			h.write("glyphoxa.yaml", burstConfig)
			o := h.serve()
			dm := newUndisturbed(o)
			dm.round(t)
			before := o.goroutines(t)
			start := time.Now()
			over := make(chan map[string]int)
			var held holders
			t.Cleanup(held.closeAll)
			go func() { over <- o.attack(attack, &held) }() // ends before the test, which waits for it
			var outcomes map[string]int
			for outcomes == nil {
				select {
				case outcomes = <-over:
				default:
					dm.round(t)
				}
			}
			took := time.Since(start)
			during := o.goroutines(t)
			for range 10 { // while the stranger still holds its connections
				dm.round(t)
			}
			peak := mostResident(t, o.cmd.Process.Pid)
			held.closeAll()
			after, left := o.calm(t, before+floodSpare)
			t.Logf("%d in %v: %v; goroutines %d before, %d during, %d after; %.0f MiB at most, %.0f after; calls beside it: %s; opening something for each: %s",
				floodSize, took.Round(time.Second/10), outcomes, before, during, after, peak, left, spread(dm.took), spread(dm.opening))
			holdBeside(t, "calls over what is open", rest.took, dm.took)
			holdBeside(t, "calls that open something", rest.opening, dm.opening)
			if attack.name == wrongTokens && (outcomes["429 Too Many Requests"] == 0 || outcomes["200 OK"] > 0) {
				t.Errorf("they are answered %v, want them refused, and told to wait", outcomes)
			}
			if after > before+floodSpare {
				t.Errorf("%d goroutines are left of %d, %v after the flood", after, before, floodAfter)
			}
			if peak > burstPeak || left > burstRest {
				t.Errorf("the program took %.0f MiB and keeps %.0f, want at most %d and %d", peak, left, burstPeak, burstRest)
			}
			if during > before+floodSize {
				t.Errorf("%d goroutines serve the flood, want fewer than the %d things it opened", during, floodSize)
			}
		})
	}
}

// atRest measures the DM's client against a separate program that is not under
// attack, so that its memory does not count for the attacked one.
func atRest(t *testing.T) *undisturbed {
	t.Helper()
	h := newProgram(t)
	h.write("glyphoxa.yaml", burstConfig)
	o := h.serve()
	defer o.kill()
	dm := newUndisturbed(o)
	for range 40 {
		dm.round(t)
	}
	return dm
}

// holders closes what the stranger holds, once.
type holders struct {
	mu  sync.Mutex // guards the field below
	all []io.Closer
}

func (h *holders) add(c io.Closer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, c)
}

func (h *holders) closeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.all {
		_ = c.Close() // the program may have closed it
	}
	h.all = nil
}

// attack opens items, many in parallel, and counts the results.
func (o *outward) attack(a flood, held *holders) map[string]int {
	var mu sync.Mutex
	outcomes := map[string]int{}
	work := make(chan struct{}, floodSize)
	for range floodSize {
		work <- struct{}{}
	}
	close(work)
	var all sync.WaitGroup
	for range floodWorkers {
		all.Go(func() {
			for range work {
				outcome, end := a.open(o)
				if end != nil {
					held.add(end)
				}
				mu.Lock()
				outcomes[outcome]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return outcomes
}

// undisturbed is a client with a token that uses every transport.
type undisturbed struct {
	o       *outward
	newest  *web
	session *web
	socket  *stream
	took    []time.Duration // durations of calls over open connections
	opening []time.Duration // durations of calls over new connections, including opening them
}

func newUndisturbed(o *outward) *undisturbed {
	token := secret("dm")
	return &undisturbed{o: o, newest: o.web(token).stateless(), session: o.web(token).handshake(), socket: o.socket(token).handshake()}
}

// round calls over the open connections, and over a new session and socket.
func (u *undisturbed) round(t *testing.T) {
	t.Helper()
	timed(&u.took, func() { u.call(t, "the newest revision", u.newest) })
	timed(&u.took, func() { u.call(t, "a session", u.session) })
	timed(&u.took, func() { u.call(t, "a socket", u.socket) })
	timed(&u.opening, func() {
		fresh := u.o.in(t).web(secret("dm"))
		fresh.header.Set("Connection", "close")
		u.call(t, "a new session", fresh.handshake())
		fresh.leave()
	})
	timed(&u.opening, func() {
		conn, _, err := u.o.dial(http.Header{"Authorization": {"Bearer " + secret("dm")}}, "mcp")
		if err != nil {
			t.Fatalf("a new socket: %v", err)
		}
		u.call(t, "a new socket", over(t, conn).handshake())
		_ = conn.Close(websocket.StatusNormalClosure, "")
	})
}

// timed appends the duration of f to took.
func timed(took *[]time.Duration, f func()) {
	start := time.Now()
	f()
	*took = append(*took, time.Since(start))
}

// spread summarises durations.
func spread(took []time.Duration) string {
	slices.Sort(took)
	return fmt.Sprintf("%d, p50 %v, p99 %v", len(took), took[len(took)/2].Round(time.Microsecond), p99(took).Round(time.Microsecond))
}

func (u *undisturbed) call(t *testing.T, way string, c talker) {
	t.Helper()
	r := c.ask("tools/call", map[string]any{"name": "roll", "arguments": d6})
	if r.status != http.StatusOK && r.status != 0 || r.Error != nil || bytes.Contains(r.Result, []byte(`"isError":true`)) {
		t.Fatalf("over %s the DM is told %d %+v %s", way, r.status, r.Error, r.Result)
	}
}

func (w *web) leave() {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodDelete, w.url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = w.header.Clone()
	resp, err := w.httpClient().Do(req)
	if err != nil {
		w.t.Fatalf("leaving: %v", err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		w.t.Fatalf("leaving is answered with %s", resp.Status)
	}
}

var goroutinesLine = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutines returns the program's number of goroutines.
func (o *outward) goroutines(t *testing.T) int {
	t.Helper()
	m := goroutinesLine.FindStringSubmatch(o.get("/metrics", secret("dm")))
	if m == nil {
		t.Fatal("the metrics do not count goroutines")
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// calm waits, within a bound, until the program has few goroutines and little
// memory.
func (o *outward) calm(t *testing.T, most int) (goroutines int, rest float64) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Second / 2) {
		goroutines, rest = o.goroutines(t), resident(t, o.cmd.Process.Pid)
		if goroutines <= most && rest <= burstRest || time.Since(start) > floodAfter {
			return goroutines, rest
		}
	}
}

// TestFloodsAreInTheAuditLog checks that refused strangers appear in the audit
// log.
func TestFloodsAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", strings.Replace(burstConfig, "per_second: 10000", "per_second: 10000, sessions: 4", 1))
	o := h.serve()
	token := secret("dm")
	var statuses []int
	for range 3 {
		_, resp := o.knock(with("Authorization", "Bearer "+token))
		statuses = append(statuses, resp.StatusCode)
	}
	if !slices.Equal(statuses, []int{200, 429, 429}) {
		t.Errorf("three sessions where each caller may have one are answered %v", statuses)
	}
	text := o.get("/metrics", token)
	if !strings.Contains(text, `glyphoxa_denials_total{caller="dm",code="capacity_exceeded",rule="limits",tool="session"} 2`) {
		t.Errorf("the metrics do not count what was refused:\n%s", text)
	}
	r := try(t, o.web(token).stateless(), "audit_query", map[string]any{"denied": true, "tool": "session"})
	if n := bytes.Count(r.StructuredContent, []byte(`"rule":"limits"`)); n != 2 {
		t.Errorf("the audit log has %s", r.StructuredContent)
	}
}
