package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// watched is a running program whose metrics are read.
type watched struct {
	*session
	addr  string
	link  string        // the console, signed in
	table string        // the table's address for browsers
	quiet chan struct{} // closed when all of its stderr was read
}

// watch starts "glyphoxa play --json --metrics 0" with more arguments.
func (h *program) watch(args ...string) *watched {
	h.t.Helper()
	w := &watched{session: &session{h: h, t: h.t, cmd: h.command(append([]string{"play", "--json", "--metrics", "0"}, args...)...)}, quiet: make(chan struct{})}
	in, err := w.cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	w.in, w.pipe, w.out = in, out, bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if !w.done {
			_ = w.cmd.Process.Kill() // it may have ended by itself
			_ = w.cmd.Wait()
		}
	})
	said := bufio.NewReader(stderr)
	first, err := said.ReadString('\n')
	addr, announced := strings.CutPrefix(first, "glyphoxa metrics at http://")
	addr, whole := strings.CutSuffix(addr, "/metrics\n")
	if w.addr = addr; err != nil || !announced || !whole {
		h.t.Fatalf("the program said %q, %v; want where its metrics are", first, err)
	}
	if slices.Contains(args, "--console") {
		w.link = h.announced(said, "glyphoxa: the console is at ")
	}
	if slices.Contains(args, "--browser") {
		w.table = h.announced(said, "glyphoxa: players join in a browser at ")
	}
	go func() { // ends with the program
		defer close(w.quiet)
		_, _ = io.Copy(&w.errs, said)
	}()
	return w
}

// announced returns the rest of the program's next line that begins with words.
func (h *program) announced(said *bufio.Reader, words string) string {
	h.t.Helper()
	line, err := said.ReadString('\n')
	after, found := strings.CutPrefix(strings.TrimSpace(line), words)
	if err != nil || !found {
		h.t.Fatalf("the program said %q, %v; want %q", line, err, words)
	}
	return after
}

// leave closes the input and requires an orderly exit.
func (w *watched) leave() {
	w.t.Helper()
	if err := w.in.Close(); err != nil {
		w.t.Error(err)
	}
	<-w.quiet
	w.ended().ok(w.t)
}

// get fetches a page and returns its status and text. Header may be nil.
func (w *watched) get(path string, header http.Header) (int, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://"+w.addr+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if header != nil {
		req.Header, req.Host = header, header.Get("Host")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// counts requires samples with these values.
func (w *watched) counts(want map[string]string) {
	w.t.Helper()
	status, text := w.get("/metrics", nil)
	if status != http.StatusOK {
		w.t.Fatalf("/metrics answers %d: %s", status, text)
	}
	lines := strings.Split(text, "\n")
	for name, value := range want {
		if !slices.Contains(lines, name+" "+value) {
			i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+" ") })
			if i < 0 {
				w.t.Errorf("no %s in\n%s", name, text)
				continue
			}
			w.t.Errorf("%s, want %s", lines[i], value)
		}
	}
}

// TestMetricsWhilePlaying checks an operator's view of a table: turns by
// outcome, their stages, tool calls, and health.
func TestMetricsWhilePlaying(t *testing.T) {
	t.Parallel()
	w := newProgram(t).watch()
	for _, line := range []string{"Bartok, good evening!", "Greymantle, roll 2d6+3", "/mute Bartok", "Bartok, are you there?"} {
		w.say(line)
		if !strings.HasPrefix(line, "/") {
			w.wait("turn.ended")
		}
	}
	w.counts(map[string]string{
		`glyphoxa_turns_total{outcome="delivered"}`:         "2",
		`glyphoxa_turns_total{outcome="muted"}`:             "1",
		`glyphoxa_barge_ins_total`:                          "0",
		`glyphoxa_stage_seconds_count{stage="context"}`:     "2",
		`glyphoxa_stage_seconds_count{stage="llm"}`:         "2",
		`glyphoxa_stage_seconds_count{stage="tool"}`:        "1",
		`glyphoxa_stage_seconds_count{stage="first_sound"}`: "2",
	})
	if _, text := w.get("/metrics", nil); !strings.Contains(text, `glyphoxa_tool_calls_total{`) || !strings.Contains(text, `version="v0.0.0-test"`) {
		t.Errorf("neither calls of tools nor the version in\n%s", text)
	}
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": `{"ready":true,`} {
		if status, text := w.get(path, nil); status != http.StatusOK || !strings.HasPrefix(text, want) {
			t.Errorf("%s: %d %q, want %q", path, status, text, want)
		}
	}
	w.leave()
	if c, err := net.Dial("tcp", w.addr); err == nil {
		_ = c.Close()
		t.Error("the program has ended and still somebody listens")
	}
}

// TestPolicyIsCounted plays at a table that is always late and counts its
// reactions.
func TestPolicyIsCounted(t *testing.T) {
	t.Parallel()
	slow := fakeopenai.Say("Aye.")
	slow.Delay = 5 * time.Millisecond
	h, server := newModelProgram(t, fakeopenai.Always(slow))
	h.write("glyphoxa.yaml", fmt.Sprintf(`languages: [en]
providers:
  llm: {name: openai, base_url: %[1]q, api_key: "${MODEL_KEY}", model: a, fallback: [{name: openai, base_url: %[1]q, api_key: "${MODEL_KEY}", model: b}]}
  embeddings: none
  tts: silent
latency: {targets: {fast: 1ms, standard: 2ms, deep: 3ms}, policy: [fallback]}
npcs:
  - {name: Mira, budget_tier: fast}
`, server.URL()))
	w := h.watch()
	steps := 0
	for range 12 {
		w.say("Mira, when does the ferry leave?")
		for {
			line := w.read(`"kind":"`)
			if strings.Contains(line, `"kind":"policy"`) {
				steps++
			}
			if strings.Contains(line, `"kind":"turn.ended"`) {
				break
			}
		}
	}
	if steps == 0 {
		t.Fatal("nothing was done about turns that are late")
	}
	w.counts(map[string]string{
		`glyphoxa_latency_policy_total{step="fallback"}`: fmt.Sprint(steps),
		`glyphoxa_turns_total{outcome="delivered"}`:      "12",
	})
	w.leave()
}

// TestWhoMayReadMetrics checks that programs on this machine may read metrics,
// and that others need permission.
func TestWhoMayReadMetrics(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", `npcs: [{name: Mira}]
server:
  clients:
    - {name: player, token: the-secret-token-of-player.full, profile: player.full}
    - {name: master, token: the-secret-token-of-dm, profile: dm}
`)
	w := h.watch()
	for _, row := range []struct {
		name   string
		header http.Header
		want   int
	}{
		{"this machine", nil, http.StatusOK},
		{"who may read the audit log", http.Header{"Authorization": {"Bearer " + secret("dm")}}, http.StatusOK},
		{"who may not", http.Header{"Authorization": {"Bearer " + secret("player.full")}}, http.StatusForbidden},
		{"a wrong token", http.Header{"Authorization": {"Bearer " + secret("nobody")}}, http.StatusUnauthorized},
		{"through a proxy", http.Header{"X-Forwarded-For": {"203.0.113.7"}}, http.StatusUnauthorized},
		{"a page whose name was rebound", http.Header{"Host": {"evil.example"}}, http.StatusForbidden},
		{"a page of another origin", http.Header{"Origin": {"http://evil.example"}}, http.StatusForbidden},
	} {
		t.Run(row.name, func(t *testing.T) {
			if status, text := w.get("/metrics", row.header); status != row.want {
				t.Errorf("status %d, want %d: %s", status, row.want, text)
			}
		})
	}
	w.leave()
}

// TestMetricsAddress lists invalid listen addresses.
func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, addr string
		code       int
		says       string
	}{
		{"no port", "everywhere", 2, `--metrics: "127.0.0.1:everywhere" is not an address`},
		{"no such port", ":99999", 2, "is not an address"},
		{"everybody could connect, and nobody may", "0.0.0.0:0", 2, "--metrics: other machines can reach 0.0.0.0:0"},
		{"taken", port, 1, "choose another address with --metrics"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := newProgram(t).run("", "play", "--metrics", row.addr)
			if r.code != row.code || !strings.Contains(r.stderr, row.says) || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("exit code %d, stderr %q; want %d and one line with %q", r.code, r.stderr, row.code, row.says)
			}
		})
	}
}
