package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/registry"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// caller is the name of a user in records.
func caller(user string) string { return "discord:" + user }

// errNoUser is what is told of an id that is none.
var errNoUser = errors.New("this is no id of a Discord user")

// Declined implements [discord.Records].
func (h *house) Declined(_ context.Context, guild string) ([]string, error) {
	l, err := h.lodging(guild)
	if err != nil {
		return nil, err
	}
	e, err := l.book.read()
	if err != nil {
		return nil, l.trouble("reading who does not want to be heard", err)
	}
	return e.Unheard, nil
}

// Consent implements [discord.Records].
func (h *house) Consent(_ context.Context, guild, user string, heard bool) error {
	l, err := h.lodging(guild)
	if err != nil {
		return err
	}
	if !guildID.MatchString(user) {
		return errNoUser
	}
	err = l.book.change(func(e *guildEntry) error {
		e.Unheard = slices.DeleteFunc(e.Unheard, func(u string) bool { return u == user })
		if !heard {
			e.Unheard = append(e.Unheard, user)
		}
		return nil
	})
	if err != nil {
		return l.trouble("keeping whether somebody wants to be heard", err)
	}
	return nil
}

// errNotForgotten is what is told when something of a user may be left.
var errNotForgotten = errors.New("not everything could be forgotten; give the command again, and if that does not help, ask whoever runs the bot")

// Forget implements [discord.Records].
func (h *house) Forget(ctx context.Context, guild, user string) (int, error) {
	l, err := h.lodging(guild)
	if err != nil {
		return 0, err
	}
	if !guildID.MatchString(user) {
		return 0, errNoUser
	}
	l.turn.Lock()
	defer l.turn.Unlock()
	n, err := l.forget(ctx, user)
	if err != nil {
		l.house.log.Error("forgetting a user", "guild", guild, "reason", err)
		return n, errNotForgotten
	}
	return n, nil
}

// forget goes on where something fails, so that as little as can be is left.
func (l *lodging) forget(ctx context.Context, user string) (n int, err error) {
	a, leave, err := l.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	e, err := l.book.read()
	errs := []error{err}
	if s := l.playing(); s != nil {
		if err := s.Table.Forget(ctx, caller(user)); !errors.Is(err, table.ErrClosed) { // then all it heard is in the log
			errs = append(errs, err)
		}
	}
	a.Registry.Governance.Policy.Withdraw(caller(user))
	n, err = a.Store.Forget(ctx, caller(user))
	_, unsaid := a.Registry.Governance.Audit.Forget(ctx, caller(user))
	errs = append(errs, err, unsaid, l.forgetFeedback(user))
	for _, c := range append([]keptCampaign{{}}, e.Campaigns...) {
		if c.ID == l.campaignOf(a) {
			continue
		}
		lines, err := l.forgetIn(ctx, c, user)
		n += lines
		errs = append(errs, err)
	}
	return n, errors.Join(errs...)
}

// playing is the session that is running, nil if none is.
func (l *lodging) playing() *play.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seated
}

// forgetIn has a campaign forget a user that is not the current one.
func (l *lodging) forgetIn(ctx context.Context, c keptCampaign, user string) (n int, err error) {
	cfg := l.configOf(c)
	if there(cfg.Memory.Path) {
		store, err := sqlite.Open(ctx, cfg.Memory.Path, &sqlite.Options{Logger: l.house.log})
		if err != nil {
			return 0, err
		}
		n, err = store.Forget(ctx, caller(user))
		if err = errors.Join(err, store.Close()); err != nil {
			return n, err
		}
	}
	path := registry.AuditFile(cfg)
	if !there(path) {
		return n, nil
	}
	log, err := audit.Open(ctx, path, audit.Options{Keep: time.Duration(cfg.Server.Audit.Keep), Logger: l.house.log})
	if err != nil {
		return n, err
	}
	_, err = log.Forget(ctx, caller(user))
	return n, errors.Join(err, log.Close())
}

// there reports whether there is something at a path, or may be.
func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// forgetFeedback takes what a user wrote out of the guild's feedback.
func (l *lodging) forgetFeedback(user string) error {
	l.letters.Lock()
	defer l.letters.Unlock()
	path := filepath.Join(l.dir, feedbackFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var rest []byte
	for line := range bytes.Lines(data) {
		var f feedback
		if json.Unmarshal(line, &f) != nil || f.User != user {
			rest = append(rest, line...)
		}
	}
	if len(rest) == len(data) {
		return nil
	}
	return replaceFile(path, rest)
}
