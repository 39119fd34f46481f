package browser

import (
	"context"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// sitting is the session that guests join: the one that is played, or one that begins now.
func (r *Room) sitting(ctx context.Context) (*play.Session, *play.Game, error) {
	s, game := r.played()
	if s != nil {
		return s, game, nil
	}
	if r.o.Start == nil {
		return nil, nil, errNobody
	}
	r.starting.Lock()
	defer r.starting.Unlock()
	if s, game = r.played(); s != nil { // somebody else came first
		return s, game, nil
	}
	begun, err := r.o.Start(context.WithoutCancel(ctx))
	if err != nil {
		r.o.Logger.Error("beginning a session for players in browsers", "reason", err)
		return nil, nil, refuse(http.StatusServiceUnavailable, "The game cannot begin: "+err.Error())
	}
	r.mu.Lock()
	r.own, r.alone = begun, time.Now()
	over := r.closed
	r.mu.Unlock()
	if over {
		return nil, nil, errNobody // Run ends it
	}
	if s, game = r.played(); s == nil {
		return nil, nil, errNobody
	}
	return s, game, nil
}

// played is the session under way, nil if there is none.
func (r *Room) played() (*play.Session, *play.Game) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil
	}
	return r.session, r.game
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
		if !r.isClosed() {
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

func (r *Room) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}
