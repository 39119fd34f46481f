package observe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/MrWong99/glyphoxa/internal/outbound"
	"github.com/MrWong99/glyphoxa/internal/tracing"
)

const (
	// maxSpans is the number of spans that may wait to be sent; more are dropped, so that
	// a collector that does not respond costs no memory.
	maxSpans = 4096
	// sendTimeout limits one export, including retries.
	sendTimeout = 10 * time.Second
	// complainEvery is how often failures to send are logged.
	complainEvery = time.Minute
)

// TraceOptions say where to send traces.
type TraceOptions struct {
	// Endpoint accepts OTLP over HTTP, such as "http://127.0.0.1:4318".
	Endpoint string
	// Headers are sent with every request.
	Headers map[string]string
	// Sample is the share of traces to send, from 0 to 1. Clients that send a trace
	// decide for themselves.
	Sample float64
	// Version is the program's version.
	Version string
	// Log receives failures to send. It may be nil.
	Log *slog.Logger
}

// Traces sends the spans recorded by package tracing to a collector, in the background.
// It is safe for concurrent use.
type Traces struct {
	provider *sdktrace.TracerProvider
	tracer   *tracing.Tracer
}

// NewTraces starts sending spans as they come. The collector need not be reachable.
// Shutdown ends it.
func NewTraces(ctx context.Context, o TraceOptions) (*Traces, error) {
	headers := make(map[string]string, len(o.Headers))
	for name, value := range o.Headers {
		headers[name] = value
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimSuffix(o.Endpoint, "/")+tracesPath(o.Endpoint)),
		otlptracehttp.WithHeaders(headers), otlptracehttp.WithTimeout(sendTimeout), otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithHTTPClient(outbound.Client(&http.Client{Timeout: sendTimeout, Transport: outbound.NewTransport()}, outbound.Policy{
			Home: o.Endpoint, Private: true, MaxBody: 1 << 20, Advice: "correct observe.traces.endpoint",
		})))
	if err != nil {
		return nil, fmt.Errorf("setting up traces: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&complaining{SpanExporter: exporter, log: o.Log}, sdktrace.WithMaxQueueSize(maxSpans), sdktrace.WithExportTimeout(sendTimeout)),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(o.Sample))),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String(tracing.KeyService, tracing.Service), attribute.String(tracing.KeyVersion, o.Version))),
	)
	return &Traces{provider, tracing.NewTracer(provider)}, nil
}

// tracesPath returns the path that OTLP adds to an endpoint without one.
func tracesPath(endpoint string) string {
	const path = "/v1/traces"
	if strings.HasSuffix(strings.TrimSuffix(endpoint, "/"), path) {
		return ""
	}
	return path
}

// Tracer returns a tracer that starts the traces; it is nil if t is.
func (t *Traces) Tracer() *tracing.Tracer {
	if t == nil {
		return nil
	}
	return t.tracer
}

// Shutdown sends the remaining spans, until ctx ends.
func (t *Traces) Shutdown(ctx context.Context) error {
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("sending the last traces: %w", err)
	}
	return nil
}

// complaining logs now and then why spans could not be sent, because the library would
// otherwise write each error to stderr.
type complaining struct {
	sdktrace.SpanExporter
	log *slog.Logger

	mu   sync.Mutex // guards the fields below
	last time.Time
	lost int
}

// ExportSpans implements [sdktrace.SpanExporter].
func (c *complaining) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost += len(spans)
	if now := time.Now(); c.last.IsZero() || now.Sub(c.last) >= complainEvery {
		c.last = now
		c.log.Error("traces could not be sent; is tracing.endpoint a collector that takes OTLP over HTTP?", "spans", c.lost, "reason", err)
		c.lost = 0
	}
	return nil
}
