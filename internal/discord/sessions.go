package discord

import (
	"log/slog"
	"sync"
)

// sessions are the running sessions, at most one per guild. It is safe for concurrent use.
type sessions struct {
	log *slog.Logger

	mu      sync.Mutex          // guards the fields below
	byGuild map[string]*session // nil while a session is opening or closing
	offline bool                // no session may open any more
}

func newSessions(log *slog.Logger) *sessions {
	return &sessions{log: log, byGuild: map[string]*session{}}
}

// findSession returns the session of a guild, or nil.
func (s *sessions) findSession(guild string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byGuild[guild]
}

// goingOffline reports whether sessions can no longer open.
func (s *sessions) goingOffline() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offline
}

// checkFree returns an error if no session can start in a guild now.
func (s *sessions) checkFree(guild string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checkFreeLocked(guild)
}

// checkFreeLocked is checkFree for callers that hold s.mu.
func (s *sessions) checkFreeLocked(guild string) error {
	r, taken := s.byGuild[guild]
	switch {
	case s.offline:
		return errGoingOffline
	case taken && r == nil:
		return SessionChanges.With()
	case taken:
		return SessionElsewhere.With(r.channel)
	}
	return nil
}

// reserveGuild reserves a guild for a session that is about to open.
func (s *sessions) reserveGuild(guild string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkFreeLocked(guild); err != nil {
		return err
	}
	s.byGuild[guild] = nil
	return nil
}

// openSession starts a session in a guild without one.
func (s *sessions) openSession(guild string, start func() (*session, error)) (*session, error) {
	if err := s.reserveGuild(guild); err != nil {
		return nil, err
	}
	r, err := start()
	s.mu.Lock()
	late := s.offline
	switch {
	case late:
	case err != nil:
		delete(s.byGuild, guild)
	default:
		s.byGuild[guild] = r
	}
	s.mu.Unlock()
	if late && err == nil {
		r.close("")
		return nil, errGoingOffline
	}
	return r, err
}

// endSession ends a session and posts the reason in its channel, unless why is empty.
func (s *sessions) endSession(r *session, why string) error {
	s.mu.Lock()
	ours := !s.offline && s.byGuild[r.guild] == r
	if ours {
		s.byGuild[r.guild] = nil // no other session may open until this one is closed
	}
	s.mu.Unlock()
	err := r.close(why)
	if err != nil {
		s.log.Error("closing a session", "guild", r.guild, "reason", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ours && !s.offline {
		delete(s.byGuild, r.guild)
	}
	return err
}

// endAllSessions ends every session and posts the reason in its channel. No session can open afterwards.
func (s *sessions) endAllSessions(why Text) {
	s.mu.Lock()
	var open []*session
	for _, r := range s.byGuild {
		if r != nil {
			open = append(open, r)
		}
	}
	s.byGuild, s.offline = nil, true
	s.mu.Unlock()
	var g sync.WaitGroup
	for _, r := range open {
		g.Go(func() { s.endSession(r, why.In(r.lang)) })
	}
	g.Wait()
}
