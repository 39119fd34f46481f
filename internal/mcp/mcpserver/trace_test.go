package mcpserver_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// TestATraceGoesThroughTheServer has a client say in _meta which trace its call belongs
// to, and looks at what a server behind ours is told of it.
func TestATraceGoesThroughTheServer(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	h := newFixture(t, plan{options: func(o *mcpserver.Options) { o.Tracer = tracing.NewTracer(provider) }})
	told := make(chan sdk.Meta, 10)
	far := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	far.AddTool(&sdk.Tool{Name: "work", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		told <- r.Params.Meta
		return &sdk.CallToolResult{IsError: strings.Contains(string(r.Params.Arguments), "fail"), Content: []sdk.Content{&sdk.TextContent{Text: "a secret answer"}}}, nil
	})
	h.lend(far)
	addr := h.web(config.Server{Clients: clients("dm")})
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for name, s := range map[string]*sdk.ClientSession{
		"pipe": h.pipeOf("dm", "2025-11-25", nil), "older http": h.http(addr, "dm", "2025-11-25", nil), "newest http": h.http(addr, "dm", "2026-07-28", nil),
	} {
		t.Run(name, func(t *testing.T) {
			spans.Reset()
			_, err := s.CallTool(t.Context(), &sdk.CallToolParams{
				Name: "work", Arguments: map[string]any{"what": "a secret question"}, Meta: sdk.Meta{"traceparent": "00-" + trace + "-" + parent + "-01"},
			})
			must(t, "calling", err)
			meta := <-told
			got := endedSpans(spans)
			if want := []string{"tools/call work client", "execute_tool work internal", "tools/call work server"}; !slices.Equal(got.names, want) {
				t.Fatalf("spans = %q, want %q", got.names, want)
			}
			for i, span := range got.spans {
				wantParent := parent
				if i < 2 {
					wantParent = got.spans[i+1].SpanContext().SpanID().String()
				}
				if span.SpanContext().TraceID().String() != trace || span.Parent().SpanID().String() != wantParent {
					t.Errorf("%s is in trace %s below %s, want trace %s below %s", span.Name(), span.SpanContext().TraceID(), span.Parent().SpanID(), trace, wantParent)
				}
				for _, a := range span.Attributes() {
					if strings.Contains(a.Value.String(), "secret") {
						t.Errorf("%s tells %s = %q", span.Name(), a.Key, a.Value.String())
					}
				}
			}
			if want := "00-" + trace + "-" + got.spans[0].SpanContext().SpanID().String() + "-01"; meta["traceparent"] != want {
				t.Errorf("the server behind is told %v, want %s", meta["traceparent"], want)
			}
		})
	}

	t.Run("without a trace of the client's", func(t *testing.T) {
		spans.Reset()
		s := h.http(addr, "dm", "2025-11-25", nil)
		_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "work", Arguments: map[string]any{"how": "fail"}})
		must(t, "calling", err)
		<-told
		got := endedSpans(spans)
		if len(got.spans) != 3 || got.spans[2].Parent().IsValid() {
			t.Fatalf("spans = %q, the last below %v; want three below a new root", got.names, got.spans[len(got.spans)-1].Parent())
		}
		for _, span := range got.spans {
			if span.Status().Code.String() != "Error" {
				t.Errorf("%s of a call that failed has status %v", span.Name(), span.Status())
			}
		}
	})
}

// ended is the spans that have ended, in turn, and what they are.
type ended struct {
	spans []sdktrace.ReadOnlySpan
	names []string
}

func endedSpans(r *tracetest.SpanRecorder) (e ended) {
	e.spans = r.Ended()
	for _, s := range e.spans {
		e.names = append(e.names, s.Name()+" "+s.SpanKind().String())
	}
	return e
}
