// Package tracing tells what happens in turns and calls as spans of OpenTelemetry. It
// holds all names that go out, and no content: neither what anybody said
// nor the arguments of calls.
//
// A trace begins with a turn ([Tracer.StartTurn]) or with a client's call
// ([Tracer.StartServed]). Everything below finds it in the context; without one its
// functions return a nil [Span], which does nothing and costs nothing.
package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Span is something that takes time. A nil one is not traced; its methods do nothing.
// The methods may be called by one goroutine at a time.
type Span struct{ span trace.Span }

// within is ctx with a span that was begun in it, nil if nobody records it.
func within(ctx context.Context, s trace.Span) (context.Context, *Span) {
	if !s.IsRecording() {
		return ctx, nil
	}
	return ctx, &Span{s}
}

// start begins a span below the one of ctx.
func start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, *Span) {
	return within(trace.SpanFromContext(ctx).TracerProvider().Tracer(scope).Start(ctx, name, o...))
}

// traced reports whether ctx belongs to a trace that is recorded.
func traced(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// With returns ctx with s as what everything begun in it belongs to.
func (s *Span) With(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Set notes a text of s, if it is not empty.
func (s *Span) set(key, value string) {
	if s != nil && value != "" {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// fail marks s as failed; kind is a word that tells failures apart.
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

// End ends s. failure is a word for how it failed, empty if it did not.
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
	// ToolError is one that a tool reports itself.
	ToolError = errorTool
	// OtherError is one of which nothing more is told.
	OtherError = errorOther
)

// Model is a language model's answer.
type Model struct {
	*Span
	began time.Time
	first bool
}

// StartModel begins an answer of a language model, such as "gpt-5" of "openai".
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

// NoteChunk notes that a piece of the answer came.
func (m *Model) NoteChunk() {
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

// StartTool begins a call of a tool through the host.
func StartTool(ctx context.Context, tool string) (context.Context, *Span) {
	if !traced(ctx) {
		return ctx, nil
	}
	return start(ctx, operationTool+" "+tool, trace.WithAttributes(
		attribute.String(keyOperation, operationTool), attribute.String(keyTool, tool)))
}

// StartSent begins a call of a tool on an external server.
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

// w3c is the form in which a trace travels between processes.
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

// Travels reports whether ctx has a trace to be passed on.
func Travels(ctx context.Context) bool { return trace.SpanContextFromContext(ctx).IsValid() }
