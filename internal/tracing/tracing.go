// Package tracing records turns and calls as OpenTelemetry spans. It holds all names that
// are sent, and no content: neither players' words nor the arguments of calls.
//
// A trace starts with a turn ([Tracer.StartTurn]) or with a client's call
// ([Tracer.StartServed]). The functions find it in the context; without one they return a
// nil [Span], which does nothing and costs nothing.
package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Span is an operation with a duration. A nil one is not traced; its methods do nothing.
// The methods may be called by one goroutine at a time.
type Span struct{ span trace.Span }

// within returns ctx with a span that was started in it, or nil if tracing is off.
func within(ctx context.Context, s trace.Span) (context.Context, *Span) {
	if !s.IsRecording() {
		return ctx, nil
	}
	return ctx, &Span{s}
}

// start starts a span below the one of ctx.
func start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, *Span) {
	return within(trace.SpanFromContext(ctx).TracerProvider().Tracer(scope).Start(ctx, name, o...))
}

// traced reports whether ctx belongs to a recorded trace.
func traced(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// With returns ctx with s as the parent of every span started in it.
func (s *Span) With(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// set records a text of s, if it is not empty.
func (s *Span) set(key, value string) {
	if s != nil && value != "" {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// fail marks s as failed; kind is a word that distinguishes failures.
func (s *Span) fail(kind string) {
	if s == nil {
		return
	}
	if kind == "" {
		kind = errorOther
	}
	s.span.SetAttributes(attribute.String(keyErrorType, kind))
	s.span.SetStatus(codes.Error, "")
}

// End ends s. failure is a word for the kind of failure, empty on success.
func (s *Span) End(failure string) {
	if s == nil {
		return
	}
	if failure != "" {
		s.fail(failure)
	}
	s.span.End()
}

// Failures of calls that have no code.
const (
	// ToolError is a failure that a tool itself reports.
	ToolError = errorTool
	// OtherError is an error without further details.
	OtherError = errorOther
)

// Model is a language model's answer.
type Model struct {
	*Span
	began time.Time
	first bool
}

// StartModel starts an answer of a language model, such as "gpt-5" of "openai".
func StartModel(ctx context.Context, provider, model string) (context.Context, *Model) {
	if !traced(ctx) {
		return ctx, nil
	}
	name := operationModel
	if model != "" {
		name += " " + model
	}
	ctx, s := start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String(keyOperation, operationModel), attribute.String(keyProvider, provider)))
	s.set(keyModel, model)
	return ctx, &Model{Span: s, began: time.Now()}
}

// RecordChunk records that a piece of the answer came.
func (m *Model) RecordChunk() {
	if m == nil || m.Span == nil || m.first {
		return
	}
	m.first = true
	m.span.SetAttributes(attribute.Float64(keyFirstChunk, time.Since(m.began).Seconds()))
}

// End ends the answer.
func (m *Model) End(input, output int64, failure string) {
	if m == nil || m.Span == nil {
		return
	}
	if input > 0 || output > 0 {
		m.span.SetAttributes(attribute.Int64(keyInputTokens, input), attribute.Int64(keyOutputTokens, output))
	}
	m.Span.End(failure)
}

// StartTool starts a call of a tool through the host.
func StartTool(ctx context.Context, tool string) (context.Context, *Span) {
	if !traced(ctx) {
		return ctx, nil
	}
	return start(ctx, operationTool+" "+tool, trace.WithAttributes(
		attribute.String(keyOperation, operationTool), attribute.String(keyTool, tool)))
}

// StartSent starts a call of a tool on an external server.
func StartSent(ctx context.Context, server, tool, protocol, session string) (context.Context, *Span) {
	if !traced(ctx) {
		return ctx, nil
	}
	ctx, s := start(ctx, methodCallTool+" "+tool, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String(keyMethod, methodCallTool), attribute.String(keyTool, tool), attribute.String(keyPeer, server)))
	s.set(keyProtocol, protocol)
	s.set(keySession, session)
	return ctx, s
}

// w3c is the format in which a trace is passed between processes.
var w3c = propagation.TraceContext{}

// Inject puts the trace of ctx into the _meta of a request; without one it adds nothing.
func Inject(ctx context.Context, meta map[string]any) { w3c.Inject(ctx, metaCarrier(meta)) }

// metaCarrier is the _meta of a request, which carries a trace as text.
type metaCarrier map[string]any

func (c metaCarrier) Get(key string) string {
	text, _ := c[key].(string)
	return text
}

func (c metaCarrier) Set(key, value string) { c[key] = value }

func (c metaCarrier) Keys() []string {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	return keys
}

// Travels reports whether ctx has a trace to pass on.
func Travels(ctx context.Context) bool { return trace.SpanContextFromContext(ctx).IsValid() }
