package web

import (
	"context"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// Sitting is a table that guests join, with its description. It is immutable after it was passed on.
type Sitting struct {
	Table *table.Table
	// Title and Language are shown and used by the page.
	Title, Language string
	// Speaks reports whether the NPCs have a voice.
	Speaks bool
	// Cast returns the NPCs at the table. Required.
	Cast func() []config.NPC

	session *play.Session // like game, nil for a table without a game
	game    *play.Game
}

// sittingOf returns the sitting of a game's session.
func sittingOf(g *play.Game, s *play.Session) *Sitting {
	at := &Sitting{
		Table: s.Table, Title: g.Config.Campaign.Name, Speaks: s.Speaks(),
		Cast: s.Cast, session: s, game: g,
	}
	if l := g.Config.Language; len(l) > 0 {
		at.Language = l[0]
	}
	return at
}

// npcs returns the NPCs at the table; none for a nil Sitting.
func (at *Sitting) npcs() []npcView {
	all := []npcView{}
	if at == nil {
		return all
	}
	for _, n := range at.Cast() {
		all = append(all, npcView{n.Name, n.Role})
	}
	return all
}

// Open lets guests join a table without a game's session. They can neither roll dice there nor be forgotten.
func (r *Room) Open(at Sitting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.lines = &at, nil
}

// sitting returns the running table, or starts a session.
func (r *Room) sitting(ctx context.Context) (*Sitting, error) {
	if at := r.played(); at != nil {
		return at, nil
	}
	if r.o.Start == nil {
		return nil, errNobody
	}
	r.starting.Lock()
	defer r.starting.Unlock()
	if at := r.played(); at != nil { // started by another guest
		return at, nil
	}
	begun, err := r.o.Start(context.WithoutCancel(ctx))
	if err != nil {
		r.o.Logger.Error("beginning a session for players in browsers", "reason", err)
		return nil, refuse(http.StatusServiceUnavailable, "The game cannot start right now. The host finds the reason in the log.")
	}
	r.mu.Lock()
	r.own, r.alone = begun, time.Now()
	over := r.closed
	r.mu.Unlock()
	if over {
		return nil, errNobody // Run closes it
	}
	if at := r.played(); at != nil {
		return at, nil
	}
	return nil, errNobody
}

// played returns the running table, nil if there is none.
func (r *Room) played() *Sitting {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	return r.at
}

// isAlone reports whether there have been no guests for Idle. The caller must hold mu.
func (r *Room) isAlone() bool {
	if len(r.guests) > 0 {
		r.alone = time.Now()
	}
	return time.Since(r.alone) > r.o.Idle
}

// endOwn closes the session from Start if isTime returns true.
func (r *Room) endOwn(isTime func() bool) error {
	if !r.starting.TryLock() {
		r.mu.Lock()
		closed := r.closed
		r.mu.Unlock()
		if !closed {
			return nil // a session is starting
		}
		r.starting.Lock()
	}
	defer r.starting.Unlock()
	r.mu.Lock()
	s := r.own
	if s == nil || !isTime() {
		r.mu.Unlock()
		return nil
	}
	r.own = nil
	r.mu.Unlock()
	return s.Close()
}
