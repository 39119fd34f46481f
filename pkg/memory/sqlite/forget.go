package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// What a user who is being forgotten waits for. A phase is begun anew after a crash:
// what it has done already it does not find again.
const (
	phaseLines = iota // lines are deleted
	phaseText         // the full text drops the words of what was deleted
	phaseFile         // copies in the file are overwritten
)

// forgetting is a user who is being forgotten.
type forgetting struct {
	user  string
	line  int64 // the last line that is the user's to be forgotten
	gone  int   // lines that were deleted
	phase int
}

// Forget is [Store.ForgetUser] without progress.
func (s *Store) Forget(ctx context.Context, user string) (int, error) {
	return s.ForgetUser(ctx, user, nil)
}

// ForgetUser deletes the lines that a user spoke, in all sessions, and the facts made of
// them; then it takes what is left of them out of the file and the log beside it. It returns how
// many lines it deleted. What others said, facts and the world stay as they are.
//
// From the moment at which that is written down, within milliseconds, none of the lines is
// found any more. The rest is done in steps, between which others write; progress, if
// not nil, is called with what is done. If ctx ends or the process does, what is left is done
// by [Store.GoOnForgetting]. A user who never spoke costs nothing.
func (s *Store) ForgetUser(ctx context.Context, user string, progress func(memory.Forgetting)) (int, error) {
	if user == "" {
		return 0, nil
	}
	known, err := s.beginForgetting(ctx, user)
	if err != nil || !known {
		return 0, err
	}
	return s.finishForgetting(ctx, user, progress)
}

// NamesOf lists under which names a user spoke.
func (s *Store) NamesOf(ctx context.Context, user string) (names []string, err error) {
	err = s.read(ctx, "looking for a user's names", func(c *conn) (err error) {
		names, err = sqlstore.Rows(ctx, c, `SELECT DISTINCT speaker FROM speakers WHERE user = ? ORDER BY speaker`, []any{user},
			sqlstore.ScanText)
		return err
	})
	return names, err
}

// GoOnForgetting finishes what [Store.ForgetUser] began and did not come to the end of, and
// returns how many users that were.
func (s *Store) GoOnForgetting(ctx context.Context) (n int, err error) {
	var left []forgetting
	err = s.read(ctx, "looking for who is to be forgotten", func(c *conn) (err error) {
		left, err = forgettings(ctx, c)
		return err
	})
	for _, f := range left {
		if err != nil {
			break
		}
		_, err = s.finishForgetting(ctx, f.user, nil)
		n++
	}
	return n, err
}

// beginForgetting writes down that a user is forgotten, and reports whether there is
// something to forget.
func (s *Store) beginForgetting(ctx context.Context, user string) (known bool, err error) {
	err = s.read(ctx, "looking for who is to be forgotten", func(c *conn) error {
		return c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM speakers WHERE user = ?1) OR EXISTS (SELECT 1 FROM forgetting WHERE user = ?1)
			OR EXISTS (SELECT 1 FROM world_changes WHERE who = ?1)`, []any{user}, &known)
	})
	if err != nil || !known {
		return false, err
	}
	err = s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.Exec(ctx, `INSERT INTO forgetting (user, line) VALUES (?, (SELECT coalesce(max(id), 0) FROM lines))
			ON CONFLICT (user) DO UPDATE SET line = excluded.line, phase = 0`, user)
		if err != nil {
			return err
		}
		return sqlstore.ForgetWorldChanger(ctx, c, user)
	})
	return err == nil, err
}

// finishForgetting does what is left to do of a user who is being forgotten.
func (s *Store) finishForgetting(ctx context.Context, user string, progress func(memory.Forgetting)) (int, error) {
	defer sqlstore.LinesGone(s.memoryStore)
	select {
	case s.forgets <- struct{}{}: // one at a time
	case <-ctx.Done():
		return 0, fmt.Errorf("forgetting a user: %w", ctx.Err())
	}
	defer func() { <-s.forgets }()
	var f forgetting
	err := s.read(ctx, "looking for who is to be forgotten", func(c *conn) error {
		all, err := forgettings(ctx, c)
		for _, g := range all {
			if g.user == user {
				f = g
			}
		}
		return err
	})
	if err != nil || f.user == "" {
		return f.gone, err
	}
	w := &forgetWork{s: s, f: &f, progress: progress, resumed: f.phase == phaseText}
	for _, phase := range []func(context.Context) error{w.deleteLines, w.dropWords, w.cleanFile}[f.phase:] {
		w.tell()
		if err := phase(ctx); err != nil {
			return f.gone, err
		}
		f.phase++
		err := s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
			_, err := c.Exec(ctx, `UPDATE forgetting SET phase = ?, gone = ? WHERE user = ?`, f.phase, f.gone, user)
			return err
		})
		if err != nil {
			return f.gone, err
		}
	}
	return f.gone, s.endForgetting(ctx, user)
}

// endForgetting takes the user's id out of the file, too.
func (s *Store) endForgetting(ctx context.Context, user string) error {
	err := s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.Exec(ctx, `DELETE FROM forgetting WHERE user = ?`, user)
		return err
	})
	if err != nil {
		return err
	}
	return s.withEmptyLog(ctx, func(context.Context, *conn) error { return nil })
}

// forgettings lists who is being forgotten.
func forgettings(ctx context.Context, c sqlstore.Conn) ([]forgetting, error) {
	return sqlstore.Rows(ctx, c, `SELECT user, line, gone, phase FROM forgetting ORDER BY user`, nil, func(r sqlstore.Row) (f forgetting, err error) {
		return f, r.Scan(&f.user, &f.line, &f.gone, &f.phase)
	})
}

// forgetWork forgets one user.
type forgetWork struct {
	s        *Store
	f        *forgetting
	progress func(memory.Forgetting)
	told     time.Time
	// resumed says that the full text was being merged when it was left off.
	resumed bool
}

// tell tells how far it is, twice a second at most.
func (w *forgetWork) tell() {
	if w.progress != nil && time.Since(w.told) > time.Second/2 {
		w.told = time.Now()
		w.progress(memory.Forgetting{Phase: w.f.phase + 1, Phases: phaseFile + 1, Lines: w.f.gone})
	}
}

// Steps of a phase take about stepTime of the writer each: others wait no longer.
const (
	stepTime  = 12 * time.Millisecond
	firstStep = 16
	mostSteps = 2048
)

// pace sizes the steps of a phase.
type pace int

// took takes in how long a step took.
func (p *pace) took(d time.Duration) {
	next := float64(*p) * min(2, float64(stepTime)/float64(max(d, time.Microsecond)))
	*p = pace(min(max(next, 1), mostSteps))
}

// step carries out a step of a phase as one transaction, which need not be on the
// disk: what is lost of it is done again.
func (w *forgetWork) step(ctx context.Context, size *pace, do func(ctx context.Context, c *conn) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("forgetting a user: %w", err)
	}
	var start time.Time
	err := w.s.writeUnsynced(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		start = time.Now()
		return do(ctx, c)
	})
	size.took(time.Since(start))
	w.tell()
	if err != nil {
		return err
	}
	return w.s.drainLog(ctx)
}
