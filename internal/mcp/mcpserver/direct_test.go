package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/identity"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// newestRevision is the first without sessions.
const newestRevision = "2026-07-28"

// twoWays is one server at two doors: ours, and one at which the SDK answers
// everything.
type twoWays struct {
	fixture   *fixture
	host      string
	ours, sdk http.Handler
	web       *mcpserver.Web // ours

	ourSession, sdkSession string
}

// oddTools are tools that answer in every way there is.
func oddTools() []mcphost.BuiltinTool {
	answers := func(name string, respond tools.Respond) mcphost.BuiltinTool {
		return mcphost.BuiltinTool{
			Definition: llm.ToolDefinition{Name: name, Description: "Answers <b>so</b> & \u2028.", EstimatedDurationMs: 1},
			Permission: policy.DiceRoll, ReadOnly: true, Respond: respond,
			Floor: mcp.BudgetDeep, // or one that fails would move while it is compared
		}
	}
	shows := func(name string, res mcp.Result) mcphost.BuiltinTool {
		return answers(name, func(context.Context, string) (mcp.Result, error) { return res, nil })
	}
	strict := echo("strict", policy.DiceRoll)
	strict.Definition.Parameters = map[string]any{
		"type": "object", "required": []any{"a"}, "additionalProperties": false,
		"properties": map[string]any{"a": map[string]any{"type": "integer"}, "b": map[string]any{"type": "string"}},
	}
	headed := echo("headed", policy.DiceRoll)
	headed.Definition.Parameters = map[string]any{
		"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "x-mcp-header": "A"}},
	}
	schemed := shows("schemed", mcp.Result{Text: `{"n": 1}`})
	schemed.OutputSchema = map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "number"}}}
	return []mcphost.BuiltinTool{
		echo("echo", policy.DiceRoll), echo("hidden", policy.AuditRead), strict, headed, schemed,
		shows("nothing", mcp.Result{}), shows("text", mcp.Result{Text: "<a href=\"x\">&amp;\u2028\u2029\x00\x7f\xff</a>"}),
		shows("odd_object", mcp.Result{Text: "{ \"a\" : [1, 2 ] ,\n\"b\": \"<&>\" }"}),
		shows("wrong", mcp.Result{Text: "no", IsError: true}),
		shows("structured", mcp.Result{Text: "three", Structured: json.RawMessage(`{"n": 3, "s": "<&>é"}`)}),
		shows("many", mcp.Result{Content: []mcp.Content{
			{Type: "text", Text: "one"}, {Type: "image", Data: []byte{1, 2, 255}, MIMEType: "image/png"},
			{Type: "audio", Data: []byte{}, MIMEType: "audio/wav"}, {Type: "resource_link", URI: "x://y?a=b&c", Name: "y"},
			{Type: "resource", URI: "x://y", MIMEType: "text/plain", Text: "<t>"}, {Type: "resource", URI: "x://z", Data: []byte("z")},
		}}),
		answers("fails", func(context.Context, string) (mcp.Result, error) { return mcp.Result{}, errors.New("secret inside") }),
		answers("refuses", func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{}, fmt.Errorf("%w: a <must> be & more", mcp.ErrInvalidArguments)
		}),
		answers("half", func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{Structured: json.RawMessage(`{"done":1}`)}, mcp.ErrTimeout
		}),
	}
}

func newTwoWays(t testing.TB) *twoWays {
	t.Helper()
	h := newFixture(t, plan{tools: oddTools(), config: config.Server{Policy: []config.Rule{
		{Name: "no luck", Kind: config.RuleToolRestriction, Tools: []string{"roll*"}}, // nothing that is never the same
	}}, options: func(o *mcpserver.Options) { o.PageSize = 5 }})
	w := &twoWays{fixture: h}
	cfg := config.Server{Limits: config.Limits{Burst: 1 << 30, PerSecond: 1 << 30, Body: 4 << 20, Sessions: 1000}, Clients: clients("dm", "player.full")}
	for _, sdkAlone := range []bool{false, true} {
		keeper, err := identity.New(t.Context(), cfg, identity.Options{Profile: h.policy.Profile})
		must(t, "making the gatekeeper", err)
		o := mcpserver.WebOptions{Gatekeeper: keeper, Limits: cfg.Limits, Guard: identity.Guard{AllowedHosts: []string{"table.test"}}}
		if sdkAlone {
			o.LeaveToSDK()
		}
		web, err := h.server.Listen(t.Context(), "127.0.0.1:0", o)
		must(t, "listening", err)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- web.Serve(ctx) }()
		t.Cleanup(func() { cancel(); must(t, "serving", <-done) })
		if sdkAlone {
			w.sdk = web.Handler()
			continue
		}
		w.ours, w.host, w.web = web.Handler(), web.Addr(), web
	}
	w.ourSession, w.sdkSession = w.open(t, w.ours, `{"roots":{"listChanged":true}}`), w.open(t, w.sdk, `{"roots":{"listChanged":true}}`)
	return w
}

// posted is what is sent, however odd.
type posted struct {
	header http.Header
	body   string
}

// newestHeader are the headers of a request of the newest revision.
func newestHeader(method, name string) http.Header {
	h := http.Header{
		"Authorization": {"Bearer " + token("player.full")}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {newestRevision}, "Mcp-Method": {method},
	}
	if name != "" {
		h["Mcp-Name"] = []string{name}
	}
	return h
}

// plainMeta is what a client of the newest revision says of itself.
const plainMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// sent is an answer, as far as it is the same every time.
type sent struct {
	Status int
	Header http.Header
	Body   string
}

// changing is what differs from one call to the next.
var changing = regexp.MustCompile(`((?:executionTimeMs|expected_ms|glyphoxa/(?:p50|p99|estimatedDuration)Ms)\\*":)[0-9.e+-]+`)

// streamID is the random part of an event's id.
var streamID = regexp.MustCompile(`(?m)^id: [A-Z2-7]{26}_`)

// send sends a message to a handler.
func (w *twoWays) send(ctx context.Context, h http.Handler, m posted) sent {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://"+w.host+"/mcp", strings.NewReader(m.body))
	r.Header = m.header.Clone()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	header := rec.Header().Clone()
	header.Del("Content-Length") // says the same as chunks
	body := changing.ReplaceAllString(rec.Body.String(), "${1}0")
	return sent{rec.Code, header, streamID.ReplaceAllString(body, "id: STREAM_")}
}

// sessionMark stands in headers for the session at the door.
const sessionMark = "SESSION"

// at is the message at a door with that session.
func (m posted) at(session string) posted {
	if m.header.Get("Mcp-Session-Id") != sessionMark {
		return m
	}
	h := m.header.Clone()
	h.Set("Mcp-Session-Id", session)
	return posted{h, m.body}
}

// left is the status of what the direct way leaves to the SDK.
const left = http.StatusTeapot

// takes reports whether the direct way answers a message, and what.
func (w *twoWays) takes(ctx context.Context, m posted) (sent, bool) {
	next := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(left) })
	got := w.send(ctx, w.web.OrElse(next), m.at(w.ourSession))
	return got, got.Status != left
}

// compare sends a message to both doors, and reports whether ours left out the SDK.
func (w *twoWays) compare(t *testing.T, m posted) bool {
	t.Helper()
	got, direct := w.takes(t.Context(), m)
	if !direct {
		got = w.send(t.Context(), w.ours, m.at(w.ourSession))
	}
	if diff := cmp.Diff(w.send(t.Context(), w.sdk, m.at(w.sdkSession)), got); diff != "" {
		t.Errorf("%v\n%s\n(-SDK +ours):\n%s", m.header, m.body, diff)
	}
	return direct
}

// sessionHeaders are the headers of a request in a session.
func sessionHeaders(revision string) http.Header {
	h := newestHeader("", "")
	h["Mcp-Protocol-Version"], h["Mcp-Session-Id"] = []string{revision}, []string{sessionMark}
	delete(h, "Mcp-Method")
	return h
}

// open opens a session at a door and returns its id.
func (w *twoWays) open(t testing.TB, h http.Handler, capabilities string) string {
	t.Helper()
	header := sessionHeaders("2025-11-25")
	delete(header, "Mcp-Session-Id")
	got := w.send(t.Context(), h, posted{header, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}`})
	id := got.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("no session is opened: %+v", got)
	}
	header["Mcp-Session-Id"] = []string{id}
	w.send(t.Context(), h, posted{header, `{"jsonrpc":"2.0","method":"notifications/initialized"}`})
	return id
}

// callBody is a call as clients of the newest revision send it.
func callBody(id, name, args, meta string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":` + name + `,"arguments":` + args + `,"_meta":` + meta + `}}`
}

// TestDirectIsTheSame sends what clients send, and what none should, to both doors.
func TestDirectIsTheSame(t *testing.T) {
	w := newTwoWays(t)
	for name, m := range map[string]posted{
		"a call":             {newestHeader("tools/call", "echo"), callBody("1", `"echo"`, `{"a":1}`, plainMeta)},
		"a list":             {newestHeader("tools/list", ""), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` + plainMeta + `}}`},
		"a session's call":   {sessionHeaders("2025-11-25"), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`},
		"a session's list":   {sessionHeaders("2025-06-18"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		"a call with spaces": {newestHeader("tools/call", "text"), " " + callBody(` "x" `, ` "text" `, ` { } `, plainMeta) + "\n"},
	} {
		if !w.compare(t, m) {
			t.Errorf("%s is left to the SDK", name)
		}
	}
	tried, taken := 0, 0
	kinds(func(name string, m posted) {
		tried++
		t.Run(name, func(t *testing.T) {
			if w.compare(t, m) {
				taken++
			}
		})
	})
	if tried < 1000 || taken < 300 {
		t.Errorf("of %d kinds of requests %d take the direct way, want more", tried, taken)
	}
}

// TestDirectListFollowsTheRegistry lists again after each change, page by page.
func TestDirectListFollowsTheRegistry(t *testing.T) {
	w := newTwoWays(t)
	next := regexp.MustCompile(`"nextCursor":"([^"]*)"`)
	for _, says := range []string{"First <this>.", "Then that.", ""} {
		flow := echo("passing", policy.DiceRoll)
		flow.Definition.Description, flow.Kind = says, tools.KindWorkflow
		var flows []mcphost.BuiltinTool
		if says != "" {
			flows = append(flows, flow)
		}
		must(t, "replacing workflows", w.fixture.host.ReplaceWorkflows(flows...))
		all := ""
		for cursor := ""; ; {
			m := posted{newestHeader("tools/list", ""), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` + plainMeta + `,"cursor":"` + cursor + `"}}`}
			if !w.compare(t, m) {
				t.Fatal("a list is left to the SDK")
			}
			page := w.send(t.Context(), w.ours, m).Body
			all += page
			more := next.FindStringSubmatch(page)
			if more == nil {
				break
			}
			cursor = more[1]
		}
		if got := strings.Contains(all, `"name":"passing"`); got != (says != "") || !strings.Contains(all, says) {
			t.Errorf("with a tool that says %q the list is %s", says, all)
		}
	}
}

// FuzzDirect holds the direct way to the SDK: whatever it takes, the SDK answers the same.
func FuzzDirect(f *testing.F) {
	w := newTwoWays(f)
	n := 0
	kinds(func(_ string, m posted) {
		if n++; n%7 != 0 {
			return // each of them would be run before the fuzzing begins
		}
		h := m.header
		f.Add([]byte(m.body), h.Get("Mcp-Method"), h.Get("Mcp-Name"), h.Get("Mcp-Protocol-Version"), h.Get("Accept"))
	})
	f.Fuzz(func(t *testing.T, body []byte, method, name, revision, accept string) {
		m := posted{sessionHeaders(revision), string(body)}
		for key, value := range map[string]string{"Mcp-Method": method, "Mcp-Name": name, "Accept": accept} {
			if value != "" {
				m.header[key] = []string{value}
			}
		}
		got, direct := w.takes(t.Context(), m)
		if !direct {
			return // the SDK's, whatever it says
		}
		if diff := cmp.Diff(w.send(t.Context(), w.sdk, m.at(w.sdkSession)), got); diff != "" {
			t.Errorf("%v\n%s\n(-SDK +ours):\n%s", m.header, m.body, diff)
		}
	})
}

// BenchmarkDirectCall measures a call at the handler of all requests, without a network.
func BenchmarkDirectCall(b *testing.B) {
	w := newTwoWays(b)
	for name, m := range map[string]posted{
		"newest":  {newestHeader("tools/call", "echo"), callBody("1", `"echo"`, `{"a":1}`, plainMeta)},
		"session": {sessionHeaders("2025-11-25"), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`},
	} {
		m = m.at(w.ourSession)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://"+w.host+"/mcp", strings.NewReader(m.body))
				r.Header = m.header
				rec := httptest.NewRecorder()
				if w.ours.ServeHTTP(rec, r); rec.Code != http.StatusOK {
					b.Fatal(rec.Body)
				}
			}
		})
	}
}
