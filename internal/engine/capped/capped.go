// Package capped answers turns with ever cheaper engines as the caps on what a
// session may cost are passed.
package capped

import (
	"context"
	"iter"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// Engine is an engine that asks a meter which of its engines answers. It is safe for
// concurrent use.
type Engine struct {
	meter *cost.Meter
	// usual answers below the hard cap, cheaper from there on, and lines in the end.
	usual, cheaper, lines engine.Engine
}

// New returns an engine for a session that meter counts. cheaper may be usual, if
// there is nothing cheaper; see [cost.Options].
func New(meter *cost.Meter, usual, cheaper, lines engine.Engine) *Engine {
	return &Engine{meter, usual, cheaper, lines}
}

// Answer implements [engine.Engine]. What passes a cap is answered to its end.
func (e *Engine) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	switch e.meter.Level() {
	case cost.Cheaper:
		return e.cheaper.Answer(ctx, req)
	case cost.LinesOnly:
		return e.lines.Answer(ctx, req)
	}
	return e.usual.Answer(ctx, req)
}

// Listener is a listener that hears nothing more once the hard cap is reached: what
// is sent to a session ahead is paid for. It is safe for concurrent use.
type Listener struct {
	meter *cost.Meter
	next  engine.Listener
}

// NewListener returns a listener before next, for a session that meter counts.
func NewListener(meter *cost.Meter, next engine.Listener) *Listener { return &Listener{meter, next} }

// ListenAhead implements [engine.Listener].
func (l *Listener) ListenAhead(a engine.Ahead) {
	if l.meter.Level() < cost.Cheaper {
		l.next.ListenAhead(a)
	}
}

// Decline implements [engine.Listener]. What was begun below the cap is declined
// after it, too.
func (l *Listener) Decline(npc config.NPC, sound *engine.Recording) { l.next.Decline(npc, sound) }
