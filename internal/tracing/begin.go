package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Tracer starts traces. A nil one starts none. It is safe for concurrent use.
type Tracer struct{ tracer trace.Tracer }

// NewTracer returns a Tracer that sends its traces to p.
func NewTracer(p trace.TracerProvider) *Tracer { return &Tracer{p.Tracer(scope)} }

// StartServed starts a client's call, as part of the trace named in its _meta.
func (t *Tracer) StartServed(ctx context.Context, meta map[string]any, tool, protocol, session string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	if len(meta) > 0 {
		ctx = w3c.Extract(ctx, metaCarrier(meta))
	}
	ctx, s := within(t.tracer.Start(ctx, methodCallTool+" "+tool, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String(keyMethod, methodCallTool), attribute.String(keyTool, tool))))
	s.set(keyProtocol, protocol)
	s.set(keySession, session)
	return ctx, s
}

// Turn is a turn at the table.
type Turn struct {
	*Span
	ctx context.Context
}

// StartTurn starts the trace of an NPC's turn, at the end of the player's speech.
func (t *Tracer) StartTurn(npc, session string, since time.Time) *Turn {
	if t == nil {
		return nil
	}
	ctx, s := within(t.tracer.Start(context.Background(), operationAgent+" "+npc, trace.WithNewRoot(), trace.WithTimestamp(since),
		trace.WithAttributes(attribute.String(keyOperation, operationAgent), attribute.String(keyAgent, npc), attribute.String(keyConversation, session))))
	if s == nil {
		return nil
	}
	return &Turn{s, ctx}
}

// With is [Span.With].
func (t *Turn) With(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return t.Span.With(ctx)
}

// Stage records a finished stage, such as "endpoint". A stage without duration is not
// recorded.
func (t *Turn) Stage(name string, from, to time.Time) {
	if t == nil || !to.After(from) {
		return
	}
	_, s := start(t.ctx, stages+name, trace.WithTimestamp(from))
	if s != nil {
		s.span.End(trace.WithTimestamp(to))
	}
}

// TurnEnd describes a turn at its end.
type TurnEnd struct {
	Number                      int64
	Route, Tier, Outcome        string
	Budget, BreachStage         string
	TargetMS, SoundMS, AnswerMS float64
	ToolRounds                  int
	InputTokens, OutputTokens   int64
	Failed                      bool
}

// End ends the turn.
func (t *Turn) End(e TurnEnd) {
	if t == nil {
		return
	}
	for key, text := range map[string]string{keyRoute: e.Route, keyTier: e.Tier, keyEnd: e.Outcome, keyBudget: e.Budget, keyBreach: e.BreachStage} {
		t.set(key, text)
	}
	for key, ms := range map[string]float64{keyTarget: e.TargetMS, keySound: e.SoundMS, keyAnswer: e.AnswerMS} {
		if ms > 0 {
			t.span.SetAttributes(attribute.Float64(key, ms))
		}
	}
	t.span.SetAttributes(attribute.Int64(keyTurn, e.Number), attribute.Int(keyRounds, e.ToolRounds),
		attribute.Int64(keyInputTokens, e.InputTokens), attribute.Int64(keyOutputTokens, e.OutputTokens))
	failure := ""
	if e.Failed {
		failure = e.Outcome
	}
	t.Span.End(failure)
}
