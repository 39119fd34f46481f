package main_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// traceCollector accepts OTLP over HTTP from clients with the key.
type traceCollector struct {
	*httptest.Server
	mu      sync.Mutex // guards the fields below
	spans   []*trace.Span
	version string
	wrong   []string
}

const collectorKey = "collector-key-0123456789"

func newTraceCollector(t *testing.T) *traceCollector {
	c := &traceCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.URL.Path != "/v1/traces" || r.Header.Get("X-Key") != collectorKey {
			c.wrong = append(c.wrong, r.URL.Path+" with key "+r.Header.Get("X-Key"))
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		plain, err := gzip.NewReader(r.Body)
		if err != nil {
			c.wrong = append(c.wrong, err.Error())
			return
		}
		raw, err := io.ReadAll(plain)
		var told collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(raw, &told)
		}
		if err != nil {
			c.wrong = append(c.wrong, err.Error())
			return
		}
		for _, of := range told.ResourceSpans {
			for _, a := range of.Resource.Attributes {
				if a.Key == "service.version" {
					c.version = a.Value.GetStringValue()
				}
			}
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// TestTurnsAreTraced plays a turn with a tool and reads its trace: each service
// called and its duration, and no spoken text.
func TestTurnsAreTraced(t *testing.T) {
	t.Parallel()
	to := newTraceCollector(t)
	h, _ := newModelProgram(t, func(r fakeopenai.Request) fakeopenai.Response {
		if ids, _ := results(r); len(ids) == 0 {
			return fakeopenai.CallTools(fakeopenai.Call{Name: "roll", Arguments: `{"expression":"2d6+17"}`})
		}
		return fakeopenai.Say("Your cabbages are gone.")
	})
	h.append("glyphoxa.yaml", "tracing:\n  endpoint: ${COLLECTOR_URL}\n  headers: {x-key: \"${COLLECTOR_KEY}\"}\n")
	h.set("COLLECTOR_URL", to.URL)
	h.set("COLLECTOR_KEY", collectorKey)
	h.secrets = append(h.secrets, collectorKey)
	h.play("Mira, roll for my cabbages.").want(1)

	to.mu.Lock()
	defer to.mu.Unlock()
	if len(to.wrong) > 0 {
		t.Fatalf("the collector was sent what it cannot take: %q", to.wrong)
	}
	if to.version != "v0.0.0-test" {
		t.Errorf("the version told is %q", to.version)
	}
	var turn *trace.Span
	children := map[string]int{}
	for _, s := range to.spans {
		if strings.HasPrefix(s.Name, "invoke_agent ") {
			turn = s
		}
		for _, a := range s.Attributes {
			for _, said := range []string{"cabbages", "2d6", collectorKey, modelKey} {
				if strings.Contains(a.Value.String(), said) {
					t.Errorf("%s tells %s = %v", s.Name, a.Key, a.Value)
				}
			}
		}
	}
	if turn == nil {
		t.Fatalf("no turn among %d spans", len(to.spans))
	}
	for _, s := range to.spans {
		if s == turn {
			continue
		}
		name, _, _ := strings.Cut(s.Name, " ")
		children[name]++
		if !slices.Equal(s.TraceId, turn.TraceId) || !slices.Equal(s.ParentSpanId, turn.SpanId) {
			t.Errorf("%s is not below the turn", s.Name)
		}
		if s.EndTimeUnixNano < s.StartTimeUnixNano || s.EndTimeUnixNano > turn.EndTimeUnixNano {
			t.Errorf("%s ends before it begins or after the turn", s.Name)
		}
	}
	if children["chat"] != 2 || children["execute_tool"] != 1 || children["glyphoxa.context"] != 1 {
		t.Errorf("below the turn are %v, want two answers of the model, a call and the context", children)
	}
	found := map[string]string{}
	for _, a := range turn.Attributes {
		found[a.Key] = a.Value.GetStringValue()
	}
	for key, want := range map[string]string{"gen_ai.operation.name": "invoke_agent", "glyphoxa.outcome": "delivered", "glyphoxa.budget": "met", "glyphoxa.route": "name"} {
		if found[key] != want {
			t.Errorf("the turn's %s is %q, want %q", key, found[key], want)
		}
	}
}

// TestACollectorThatIsAway checks that a missing collector delays neither the
// table nor its exit.
func TestACollectorThatIsAway(t *testing.T) {
	t.Parallel()
	h, _ := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("At dawn.")))
	gone := httptest.NewServer(nil)
	gone.Close()
	h.append("glyphoxa.yaml", "tracing: {endpoint: "+gone.URL+"}\n")
	r := h.run("Mira, when does the ferry leave?\n", "play", "--json")
	parse(t, r.stdout).want(1)
	if r.code != 0 || !strings.Contains(r.stderr, "tracing.endpoint") {
		t.Errorf("exit code %d, stderr %q, want 0 and a word on tracing.endpoint", r.code, r.stderr)
	}
}
