package engine

// Capped answers turns with cheaper engines as the session passes its cost caps.

import (
	"context"
	"iter"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
)

// Capped is an engine that asks a meter which of its engines answers. It is safe for concurrent use.
type Capped struct {
	meter *cost.Meter
	// usual answers below the hard cap, cheaper above it, and lines once even that costs too much.
	usual, cheaper, lines Engine
}

// NewCapped returns an engine for a session whose cost meter counts. If there is nothing cheaper, pass usual
// as cheaper; see [cost.Options].
func NewCapped(meter *cost.Meter, usual, cheaper, lines Engine) *Capped {
	return &Capped{meter, usual, cheaper, lines}
}

// Answer implements [Engine]. An answer that passes a cap is completed by the same engine.
func (e *Capped) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	switch e.meter.Level() {
	case cost.Cheaper:
		return e.cheaper.Answer(ctx, req)
	case cost.LinesOnly:
		return e.lines.Answer(ctx, req)
	}
	return e.usual.Answer(ctx, req)
}

// CappedListener is a listener that forwards nothing once the hard cap is reached, because sound that is sent
// to a session ahead costs money. It is safe for concurrent use.
type CappedListener struct {
	meter *cost.Meter
	next  Listener
}

// NewCappedListener returns a listener in front of next, for a session whose cost meter counts.
func NewCappedListener(meter *cost.Meter, next Listener) *CappedListener {
	return &CappedListener{meter, next}
}

// ListenAhead implements [Listener].
func (l *CappedListener) ListenAhead(a Ahead) {
	if l.meter.Level() < cost.Cheaper {
		l.next.ListenAhead(a)
	}
}

// Decline implements [Listener]. It also declines, above the cap, speech sent below it.
func (l *CappedListener) Decline(npc config.NPC, sound *Recording) { l.next.Decline(npc, sound) }
