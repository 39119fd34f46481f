package bridge

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// phase is where a turn is.
type phase uint8

const (
	// standing: there are no turns, calls are made as they come. It ends with the
	// first turn.
	standing phase = iota
	// open: calls are made for a turn. It ends in over.
	open
	// over: nobody waits for calls. The next turn replaces it.
	over
)

// turn is what calls are made for. The bridge's mu guards it.
type turn struct {
	phase   phase
	tools   *mcphost.Toolset
	base    context.Context    // of its calls; it does not end, they do
	observe func(engine.Event) // nil if there is no turn
	rounds  engine.Rounds

	// The round under way. It is over once its generation is and all its calls are
	// answered.
	calls, pending, malformed int
	generated                 bool
	began                     time.Time
}

// refusesRounds reports whether a further call is one too many.
func (t *turn) refusesRounds() bool { return t.phase == open && t.rounds.Exhausted() }

// addCall takes a call into the round.
func (t *turn) addCall() {
	if t.calls == 0 {
		t.began = time.Now()
	}
	t.calls++
	t.pending++
}

// endCall takes the outcome of a call of the round.
func (t *turn) endCall(o mcphost.Outcome) {
	t.pending--
	if engine.Malformed(o) {
		t.malformed++
	}
}

// endRound ends the round if it is over. It returns what is to be told of it, and
// to whom; nil if there is nothing.
func (t *turn) endRound() (engine.Event, func(engine.Event)) {
	if t.phase == standing && t.pending == 0 {
		t.calls, t.malformed, t.generated = 0, 0, false
	}
	if t.phase != open || !t.generated || t.pending > 0 {
		return nil, nil
	}
	ended := engine.RoundEnded{Round: t.rounds.Next(), Took: time.Since(t.began)}
	t.rounds.End(t.malformed == t.calls)
	t.calls, t.malformed, t.generated = 0, 0, false
	return ended, t.observe
}

// tellIf tells observe of ev, if there is something to tell.
func tellIf(observe func(engine.Event), ev engine.Event) {
	if observe != nil && ev != nil {
		observe(ev)
	}
}

// recentIDs knows the last ids it was given.
type recentIDs struct {
	known map[string]struct{}
	order [256]string
	next  int
}

// add reports whether id is new, and remembers it. An empty id is always new.
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
