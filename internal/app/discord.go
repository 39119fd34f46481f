package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// Sit implements [discord.House].
func (h *house) Sit(ctx context.Context, guild string, o discord.SitOptions) (*discord.Sitting, error) {
	l, err := h.lodging(guild)
	if err != nil {
		return nil, err
	}
	l.turn.Lock()
	defer l.turn.Unlock()
	a, leave, err := l.enter(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.take(); err != nil {
		return nil, errors.Join(err, leave())
	}
	s, notices, err := l.sit(ctx, a, o)
	l.seat(s)
	if err != nil {
		return nil, errors.Join(err, leave())
	}
	preparing, enough := context.WithCancel(h.life)
	var work sync.WaitGroup
	work.Go(func() {
		a.Prepare(preparing, func(level, text string) {
			if level != "info" { // a wait for servers is nothing to write to a channel
				o.Tell(level, text)
			}
		})
	})
	return &discord.Sitting{
		Table: s.Table, Campaign: a.Config.Campaign.Name, Scene: a.World.Scene(), Notices: notices, Cast: looks(a.Cast()),
		Reload: func(ctx context.Context) ([]discord.NPC, string, error) { return h.reload(ctx, s) },
		Close: sync.OnceValue(func() error {
			enough()
			work.Wait()
			err := errors.Join(s.Close(), l.rise())
			l.seat(nil)
			return errors.Join(err, leave())
		}),
	}, nil
}

// reload reads the NPC files anew, for a session and for those to come in any
// guild.
func (h *house) reload(ctx context.Context, s *play.Session) ([]discord.NPC, string, error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	now := h.latest()
	file, err := filepath.Abs(now.File)
	if err != nil {
		return nil, "", err
	}
	shown := func(p problem.Problem) problem.Problem { return play.RelativeTo(filepath.Dir(file), p) }
	r, err := play.Reread(now)
	var wrong problem.List
	if errors.As(err, &wrong) {
		wrong = slices.Clone(wrong)
		for i := range wrong {
			wrong[i] = shown(wrong[i])
		}
		return nil, "", wrong.Err()
	}
	if err != nil {
		return nil, "", err
	}
	r.Shown = shown
	said, err := s.Recast(ctx, r)
	if err != nil {
		return nil, "", err
	}
	h.mu.Lock()
	h.config = r.Config
	h.mu.Unlock()
	return looks(r.Config.NPCs), said, nil
}

// looks are how NPCs look in a chat.
func looks(all []config.NPC) (out []discord.NPC) {
	for _, n := range all {
		out = append(out, discord.NPC{Name: n.Name, Avatar: n.Avatar})
	}
	return out
}

// sit begins a session, or goes on with the one that was cut off, and returns
// what people should know.
func (l *lodging) sit(ctx context.Context, a *play.Game, o discord.SitOptions) (_ *play.Session, notices []string, err error) {
	cut, open, err := lastOpen(ctx, a.Store)
	if err != nil {
		return nil, nil, err
	}
	so := play.SessionOptions{Sink: o.Sink, Tell: o.Tell}
	if o.Resume && cut.Lines > 0 {
		so.Resume = cut
	}
	if err := l.book.change(func(e *guildEntry) error { e.Table = &place{o.Channel}; return nil }); err != nil {
		return nil, nil, l.trouble("noting where a session is played", err)
	}
	s, err := a.StartSession(ctx, so)
	if err != nil {
		return nil, nil, errors.Join(err, l.rise())
	}
	if !open || so.Resume.ID != "" {
		return s, s.Notices, nil
	}
	if err := a.Store.EndSession(ctx, cut.ID); err != nil {
		return nil, nil, errors.Join(err, s.Close(), l.rise())
	}
	if cut.Lines > 0 {
		notices = append(notices, fmt.Sprintf("the last session was cut off; its %d lines are kept, and /session recap shows the latest", cut.Lines))
	}
	return s, append(notices, s.Notices...), nil
}

// lastOpen returns the last session if it was not ended, and whether it is so:
// if none is running, a crash cut it off.
func lastOpen(ctx context.Context, log memory.SessionLog) (memory.Session, bool, error) {
	last, err := log.Sessions(ctx, 1)
	if err != nil || len(last) == 0 || !last[0].Ended.IsZero() {
		return memory.Session{}, false, err
	}
	return last[0], true, nil
}

// take reserves the guild's table.
func (l *lodging) take() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken {
		return errors.New("a session is running already")
	}
	l.taken = true
	return nil
}

// seat says what is played at the table that was taken; nil gives it back.
func (l *lodging) seat(s *play.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seated, l.taken = s, s != nil
}

// inPlay reports whether a session is running, or is about to.
func (l *lodging) inPlay() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// rise notes that no session is played any more.
func (l *lodging) rise() error {
	return l.book.change(func(e *guildEntry) error { e.Table = nil; return nil })
}

// Interrupted implements [discord.House].
func (h *house) Interrupted(ctx context.Context, guild string) (s memory.Session, cut bool, err error) {
	l, err := h.lodging(guild)
	if err != nil {
		return s, false, err
	}
	l.turn.Lock()
	defer l.turn.Unlock()
	a, leave, err := l.enter(ctx)
	if err != nil {
		return s, false, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if l.inPlay() {
		return s, false, nil
	}
	s, cut, err = lastOpen(ctx, a.Store)
	return s, cut && s.Lines > 0, err
}

// CutOff implements [discord.House].
func (h *house) CutOff(ctx context.Context) (all []discord.Cut) {
	guilds, err := os.ReadDir(guildsDir(h.latest()))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.log.Error("looking for sessions that were cut off", "reason", err)
	}
	for _, g := range guilds {
		l, err := h.lodging(g.Name())
		if err != nil {
			continue // it is no guild's
		}
		cut, err := l.cutOff(ctx)
		if err != nil {
			h.log.Error("looking for a session that was cut off", "guild", l.guild, "reason", err)
		} else if cut.Lines > 0 {
			all = append(all, cut)
		}
	}
	return all
}

// cutOff returns the session that was cut off, without lines if none was, and
// forgets where it was played.
func (l *lodging) cutOff(ctx context.Context) (cut discord.Cut, err error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	e, err := l.book.read()
	if err != nil || e.Table == nil || l.inPlay() {
		return cut, err
	}
	cfg, err := l.config()
	if err != nil {
		return cut, err
	}
	store, err := sqlite.Open(ctx, cfg.Memory.Path, nil)
	if err != nil {
		return cut, err
	}
	s, _, err := lastOpen(ctx, store)
	if err = errors.Join(err, store.Close()); err != nil {
		return cut, err
	}
	return discord.Cut{Guild: l.guild, Channel: e.Table.Channel, Lines: s.Lines}, l.rise()
}
