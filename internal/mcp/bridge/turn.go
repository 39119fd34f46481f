package bridge

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// phase is the phase of a turn.
type phase uint8

const (
	// standing: there are no turns, and calls run as they arrive. It ends with the first turn.
	standing phase = iota
	// open: calls belong to the turn. The next phase is over.
	open
	// over: the turn has ended. The next turn replaces it.
	over
)

// turn is the turn to which calls belong. The bridge's mu guards it.
type turn struct {
	phase   phase
	tools   *mcphost.Toolset
	base    context.Context    // of its calls; never ends, because calls are cancelled one by one
	observe func(engine.Event) // nil without a turn
	rounds  engine.Rounds

	// The current round. It ends when its generation has ended and all its calls have been answered.
	calls, pending, malformed int
	generated                 bool
	began                     time.Time
}

// refusesRounds reports whether the turn has no rounds left.
func (t *turn) refusesRounds() bool { return t.phase == open && t.rounds.Exhausted() }

// addCall adds a call to the round.
func (t *turn) addCall() {
	if t.calls == 0 {
		t.began = time.Now()
	}
	t.calls++
	t.pending++
}

// endCall records the outcome of a call in the round.
func (t *turn) endCall(o mcphost.Outcome) {
	t.pending--
	if engine.Malformed(o) {
		t.malformed++
	}
}

// endRound ends the round if it is complete. It returns the event to report and the observer, or nil.
func (t *turn) endRound() (engine.Event, func(engine.Event)) {
	if t.phase == standing && t.pending == 0 {
		t.calls, t.malformed, t.generated = 0, 0, false
	}
	if t.phase != open || !t.generated || t.pending > 0 {
		return nil, nil
	}
	ended := engine.RoundEnded{Round: t.rounds.Next(), Duration: time.Since(t.began)}
	t.rounds.End(t.malformed == t.calls)
	t.calls, t.malformed, t.generated = 0, 0, false
	return ended, t.observe
}

// observeEvent reports ev to observe, if neither is nil.
func observeEvent(observe func(engine.Event), ev engine.Event) {
	if observe != nil && ev != nil {
		observe(ev)
	}
}

// recentIDs remembers the last 256 ids.
type recentIDs struct {
	known map[string]struct{}
	order [256]string
	next  int
}

// add remembers id and reports whether it is new. An empty id is always new.
func (r *recentIDs) add(id string) bool {
	if id == "" {
		return true
	}
	if _, ok := r.known[id]; ok {
		return false
	}
	if r.known == nil {
		r.known = map[string]struct{}{}
	}
	delete(r.known, r.order[r.next])
	r.known[id] = struct{}{}
	r.order[r.next] = id
	r.next = (r.next + 1) % len(r.order)
	return true
}
