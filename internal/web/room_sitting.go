package web

import (
	"context"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// Sitting is a table that guests join, and what they are told of it. It is not changed once
// it is handed over.
type Sitting struct {
	Table *table.Table
	// Title and Language are what the page shows and begins with.
	Title, Language string
	// Speaks is whether the NPCs have a voice.
	Speaks bool
	// Cast returns the NPCs at the table. It is required.
	Cast func() []config.NPC

	session *play.Session // nil of a table that no game has, as is game
	game    *play.Game
}

// sittingOf is a session of a game as guests join it.
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

// npcs are those at the table, nobody at none.
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

// Open has guests join a table that no session of a game is: they can neither roll dice
// there nor be forgotten.
func (r *Room) Open(at Sitting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.lines = &at, nil
}

// sitting is the table that guests join: the one that is played, or one that begins now.
func (r *Room) sitting(ctx context.Context) (*Sitting, error) {
	if at := r.played(); at != nil {
		return at, nil
	}
	if r.o.Start == nil {
		return nil, errNobody
	}
	r.starting.Lock()
	defer r.starting.Unlock()
	if at := r.played(); at != nil { // somebody else came first
		return at, nil
	}
	begun, err := r.o.Start(context.WithoutCancel(ctx))
	if err != nil {
		r.o.Logger.Error("beginning a session for players in browsers", "reason", err)
		return nil, refuse(http.StatusServiceUnavailable, "The game cannot begin just now. Whoever runs it finds the reason in the log.")
	}
	r.mu.Lock()
	r.own, r.alone = begun, time.Now()
	over := r.closed
	r.mu.Unlock()
	if over {
		return nil, errNobody // Run ends it
	}
	if at := r.played(); at != nil {
		return at, nil
	}
	return nil, errNobody
}

// played is the table that is played, nil if none is.
func (r *Room) played() *Sitting {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	return r.at
}

// isAlone reports whether nobody has been there for so long that the session may end. It is
// called with mu held.
func (r *Room) isAlone() bool {
	if len(r.guests) > 0 {
		r.alone = time.Now()
	}
	return time.Since(r.alone) > r.o.Idle
}

// endOwn ends the session that Start began, if it is time for that.
func (r *Room) endOwn(isTime func() bool) error {
	if !r.starting.TryLock() {
		r.mu.Lock()
		closed := r.closed
		r.mu.Unlock()
		if !closed {
			return nil // one begins just now
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
