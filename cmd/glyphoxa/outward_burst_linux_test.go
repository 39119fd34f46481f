package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// burstConfig has one client with a token and admits clients without one.
const burstConfig = `
npcs:
  - name: Mira
server:
  clients:
    - {name: dm, token: "the-secret-token-of-dm", profile: dm}
  limits: {burst: 100000, per_second: 10000}
`

const (
	burstRequests = 40  // sent at once
	burstPeak     = 250 // MiB of peak memory, beside the program's own file
	burstRest     = 70  // MiB after the burst ...
	burstAfter    = 30 * time.Second
)

const (
	besideP99 = 50 * time.Millisecond // p99 of a client during an attack, with -strict
	// besideSlow exceeds the delay of two calls in two dozen on a busy machine.
	besideSlow = 3 * time.Second
	besideRest = 20 // times the p99 at rest
	// besideCalls are the calls made during bursts before p99 counts, with
	// -strict, because a single burst ends after about ten calls.
	besideCalls = 300
)

// holdBeside requires that a client was served in time during an attack. A busy
// machine gets a far looser bound, so that only an attack that delays the
// client fails the test.
func holdBeside(t *testing.T, what string, rest, took []time.Duration) {
	t.Helper()
	most := max(besideSlow, besideRest*p99(rest))
	if *strict {
		most = besideP99
	}
	if got := p99(took); got > most {
		t.Errorf("%s beside the attack take %v at p99 of %d, want at most %v; at rest %v", what, got, len(took), most, p99(rest))
	}
}

// p99 sorts durations.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[(len(took)-1)*99/100]
}

// burst is a request that a stranger sends.
type burst struct {
	name, method string
	body         func() []byte
	// answered says whether the server accepts it.
	answered bool
	// sockets says whether each request uses its own WebSocket.
	sockets bool
}

func bursts() []burst {
	call := func(name, args string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, name, args, burstMeta)
	}
	return []burst{
		{name: "unknown keys", method: "tools/call", body: func() []byte { return call("roll", manyKeys(200_000)) }},
		{name: "unknown keys within the bounds", method: "tools/call", answered: true, body: func() []byte { return call("roll", manyKeys(19_000)) }},
		{name: "long query", method: "tools/call", body: func() []byte {
			return call("search_rules", fmt.Sprintf(`{"query":%q}`, strings.Repeat("blinded ", 450_000)))
		}},
		{name: "long query within the bounds", method: "tools/call", answered: true, body: func() []byte {
			return call("search_rules", fmt.Sprintf(`{"query":%q}`, strings.Repeat("blinded ", 250_000)))
		}},
		{name: "unknown keys over sockets", sockets: true, body: func() []byte { return call("roll", manyKeys(200_000)) }},
		{name: "list with junk", method: "tools/list", body: func() []byte {
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s,"junk":%s}}`, burstMeta, manyKeys(200_000))
		}},
	}
}

const burstMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// manyKeys is an object of n keys.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"key%07d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// TestBurstsOfLargeRequests lets a stranger send 40 of the most expensive
// requests at once: the program uses little memory, releases it again, and
// serves a client with a token meanwhile.
func TestBurstsOfLargeRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, attack := range bursts() {
		t.Run(attack.name, func(t *testing.T) {
			h := newProgram(t)
			h.write("glyphoxa.yaml", burstConfig)
			o := h.serve()
			client := o.web(secret("dm")).stateless()
			var took []time.Duration
			call := func() {
				start := time.Now()
				r := client.ask("tools/call", map[string]any{"name": "roll", "arguments": map[string]any{"expression": "2d6"}})
				took = append(took, time.Since(start))
				if r.status != http.StatusOK || r.Error != nil || bytes.Contains(r.Result, []byte(`"isError":true`)) {
					t.Fatalf("a client beside the burst is told %d %+v %s", r.status, r.Error, r.Result)
				}
			}
			for range 100 {
				call()
			}
			rest := took
			took = nil
			over := make(chan struct{})
			codes := map[int]int{}
			var calls atomic.Int64 // made during the bursts
			go func() {            // ends before the test, which waits for over
				defer close(over)
				for first := true; first || *strict && calls.Load() < besideCalls; first = false {
					answers := o.flood
					if attack.sockets {
						answers = o.floodSockets
					}
					for code, n := range answers(attack) {
						codes[code] += n
					}
				}
			}()
			for done := false; !done; {
				select {
				case <-over:
					done = true
				default:
					call()
					calls.Add(1)
				}
			}
			pid := o.cmd.Process.Pid
			peak := mostResident(t, pid)
			var left float64
			start := time.Now()
			for {
				left = resident(t, pid)
				if left <= burstRest || time.Since(start) > burstAfter {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			t.Logf("answers %v; peak %.0f MiB, %.0f MiB after %v; calls at rest: %s; beside it: %s",
				codes, peak, left, time.Since(start).Round(time.Second/10), spread(rest), spread(took))
			holdBeside(t, "calls", rest, took)
			if peak > burstPeak {
				t.Errorf("the program took %.0f MiB, want at most %d", peak, burstPeak)
			}
			if left > burstRest {
				t.Errorf("it keeps %.0f MiB after %v, want at most %d", left, burstAfter, burstRest)
			}
			if (codes[http.StatusOK] > 0) != attack.answered || codes[0] > 0 {
				t.Errorf("the answers are %v; want some 200: %t", codes, attack.answered)
			}
		})
	}
}

// flood sends the request many times at once without a token and counts the
// answers by status; 0 counts missing answers.
func (o *outward) flood(attack burst) map[int]int {
	body := attack.body()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	codes := map[int]int{}
	var all sync.WaitGroup
	for range burstRequests {
		all.Go(func() {
			code := 0
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				codes[code]++
			}()
			req, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, "http://"+o.addr+"/mcp", bytes.NewReader(body))
			if err != nil {
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Mcp-Protocol-Version", newest)
			req.Header.Set("Mcp-Method", attack.method)
			if attack.method == "tools/call" {
				name, _, _ := strings.Cut(string(body[bytes.Index(body, []byte(`"name":"`))+8:][:64]), `"`)
				req.Header.Set("Mcp-Name", name)
			}
			resp, err := client.Do(req)
			if err != nil {
				return
			}
			defer func() { _ = resp.Body.Close() }()
			if _, err := io.Copy(io.Discard, resp.Body); err == nil {
				code = resp.StatusCode
			}
		})
	}
	all.Wait()
	return codes
}

// floodSockets sends the request many times at once, each over its own
// WebSocket without a token, and counts the answers: 413 for a refusal, 200 for
// any other.
func (o *outward) floodSockets(attack burst) map[int]int {
	body := attack.body()
	var mu sync.Mutex
	codes := map[int]int{}
	var all sync.WaitGroup
	for range burstRequests {
		all.Go(func() {
			code := 0
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				codes[code]++
			}()
			conn, _, err := o.dial(http.Header{}, "mcp")
			if err != nil {
				return
			}
			defer func() { _ = conn.CloseNow() }()
			if conn.Write(o.t.Context(), websocket.MessageText, body) != nil {
				return
			}
			if _, got, err := conn.Read(o.t.Context()); err == nil {
				code = http.StatusOK
				if bytes.Contains(got, []byte(`"error":{"code":-32600`)) || bytes.Contains(got, []byte(`"error":{"code":-32002`)) {
					code = http.StatusRequestEntityTooLarge
				}
			}
		})
	}
	all.Wait()
	return codes
}

// memoryFigure returns a figure of a process's status, in MiB.
func memoryFigure(tb testing.TB, pid int, name string) float64 {
	tb.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, name+": %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	tb.Fatalf("no %s in\n%s", name, status)
	return 0
}
