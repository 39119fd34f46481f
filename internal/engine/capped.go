package engine

// Capped answers turns with ever cheaper engines as the caps on what a
// session may cost are passed.

import (
	"context"
	"iter"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
)

// Capped is an engine that asks a meter which of its engines answers. It is safe for
// concurrent use.
type Capped struct {
	meter *cost.Meter
	// usual answers below the hard cap, cheaper from there on, and lines in the end.
	usual, cheaper, lines Engine
}

// NewCapped returns an engine for a session that meter counts. cheaper may be usual, if
// there is nothing cheaper; see [cost.Options].
func NewCapped(meter *cost.Meter, usual, cheaper, lines Engine) *Capped {
	return &Capped{meter, usual, cheaper, lines}
}

// Answer implements [Engine]. What passes a cap is answered to its end.
func (e *Capped) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	switch e.meter.Level() {
	case cost.Cheaper:
		return e.cheaper.Answer(ctx, req)
	case cost.LinesOnly:
		return e.lines.Answer(ctx, req)
	}
	return e.usual.Answer(ctx, req)
}

// CappedListener is a listener that hears nothing more once the hard cap is reached: what
// is sent to a session ahead is paid for. It is safe for concurrent use.
type CappedListener struct {
	meter *cost.Meter
	next  Listener
}

// NewCappedListener returns a listener before next, for a session that meter counts.
func NewCappedListener(meter *cost.Meter, next Listener) *CappedListener {
	return &CappedListener{meter, next}
}

// ListenAhead implements [Listener].
func (l *CappedListener) ListenAhead(a Ahead) {
	if l.meter.Level() < cost.Cheaper {
		l.next.ListenAhead(a)
	}
}

// Decline implements [Listener]. What was begun below the cap is declined
// after it, too.
func (l *CappedListener) Decline(npc config.NPC, sound *Recording) { l.next.Decline(npc, sound) }
