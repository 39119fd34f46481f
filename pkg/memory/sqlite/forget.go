package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// What a user who is being forgotten waits for. A phase is begun anew after a crash:
// what it has done already it does not find again.
const (
	phaseLines = iota // lines are deleted
	phaseNames        // names are taken out of what others said and know
	phaseText         // the full text drops the words of what was deleted
	phaseFile         // copies in the file are overwritten
)

// forgetting is a user who is being forgotten.
type forgetting struct {
	memory.Person
	line, fact int64 // the last that are concerned
	gone       int   // lines that were deleted
	phase      int
}

// Forget deletes every line of a user, in all sessions, as [SessionLog.ForgetPerson]
// does.
func (s *SessionLog) Forget(ctx context.Context, user string) (int, error) {
	return s.ForgetPerson(ctx, memory.Person{User: user}, nil)
}

// ForgetPerson forgets somebody: it deletes the person's lines in all sessions, and those
// of NPCs that repeat their words; puts p.Instead in the place of their names in what others said, in facts, in
// the world and its changes; then takes what is left of it out of the file and the log
// beside it. It returns how many lines are deleted.
//
// From the moment at which that is written down, within milliseconds, none of it is
// found any more. The rest is done in steps, between which others write; progress, if
// not nil, is told what is done. If ctx ends or the process does, what is left is done
// by [SessionLog.GoOnForgetting]. Who never spoke costs nothing, unless p has names.
func (s *SessionLog) ForgetPerson(ctx context.Context, p memory.Person, progress func(memory.Forgetting)) (int, error) {
	if p.User == "" {
		return 0, nil
	}
	known, err := s.beginForgetting(ctx, p)
	if err != nil || !known {
		return 0, err
	}
	return s.finishForgetting(ctx, p.User, progress)
}

// NamesOf lists under which names a user spoke.
func (s *SessionLog) NamesOf(ctx context.Context, user string) (names []string, err error) {
	err = s.read(ctx, "looking for a user's names", func(c *conn) (err error) {
		names, err = rows(ctx, c, `SELECT DISTINCT speaker FROM speakers WHERE user = ? ORDER BY speaker`, []any{user},
			func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
		return err
	})
	return names, err
}

// GoOnForgetting finishes what [SessionLog.ForgetPerson] began and did not come to the end of, and
// returns how many people that were.
func (s *SessionLog) GoOnForgetting(ctx context.Context) (n int, err error) {
	var left []forgetting
	err = s.read(ctx, "looking for who is to be forgotten", func(c *conn) (err error) {
		left, err = c.forgettings(ctx)
		return err
	})
	for _, f := range left {
		if err != nil {
			break
		}
		_, err = s.finishForgetting(ctx, f.User, nil)
		n++
	}
	return n, err
}

// beginForgetting writes down that somebody is forgotten, and reports whether there is
// something to forget.
func (s *SessionLog) beginForgetting(ctx context.Context, p memory.Person) (known bool, err error) {
	err = s.read(ctx, "looking for who is to be forgotten", func(c *conn) error {
		return c.row(ctx, `SELECT ?2 OR EXISTS (SELECT 1 FROM speakers WHERE user = ?1) OR EXISTS (SELECT 1 FROM forgetting WHERE user = ?1)
			OR EXISTS (SELECT 1 FROM world_changes WHERE who = ?1)`,
			[]any{p.User, len(p.Names) > 0}, &known)
	})
	if err != nil || !known {
		return false, err
	}
	p.Instead = cmp.Or(p.Instead, memory.Someone)
	keep, err := json.Marshal(p.Keep)
	if err != nil {
		return false, err
	}
	err = s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		// Under names of their own others speak, too.
		names, err := rows(ctx, c, `SELECT DISTINCT speaker FROM speakers s WHERE user = ? AND
			NOT EXISTS (SELECT 1 FROM speakers o WHERE o.speaker = s.speaker AND o.user <> s.user)`,
			[]any{p.User}, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
		if err != nil {
			return err
		}
		list, err := json.Marshal(append(names, p.Names...))
		if err != nil {
			return err
		}
		_, err = c.exec(ctx, `INSERT INTO forgetting (user, names, keep, instead, line, fact) VALUES (?, ?, ?, ?,
			(SELECT coalesce(max(id), 0) FROM lines), (SELECT coalesce(max(id), 0) FROM facts))
			ON CONFLICT (user) DO UPDATE SET names = excluded.names, keep = excluded.keep, instead = excluded.instead,
				line = excluded.line, fact = excluded.fact, phase = 0`,
			p.User, string(list), string(keep), p.Instead)
		if err != nil {
			return err
		}
		return forgetWorldChanger(ctx, c, p.User)
	})
	return err == nil, err
}

// finishForgetting does what is left to do of a user who is being forgotten.
func (s *SessionLog) finishForgetting(ctx context.Context, user string, progress func(memory.Forgetting)) (int, error) {
	defer s.mind.Forget()
	select {
	case s.forgets <- struct{}{}: // one at a time
	case <-ctx.Done():
		return 0, fmt.Errorf("forgetting a user: %w", ctx.Err())
	}
	defer func() { <-s.forgets }()
	var f forgetting
	err := s.read(ctx, "looking for who is to be forgotten", func(c *conn) error {
		all, err := c.forgettings(ctx)
		for _, g := range all {
			if g.User == user {
				f = g
			}
		}
		return err
	})
	if err != nil || f.User == "" {
		return f.gone, err
	}
	w := &forgetWork{s: s, f: &f, progress: progress, resumed: f.phase == phaseText}
	for _, phase := range []func(context.Context) error{w.deleteLines, w.renameEverywhere, w.dropWords, w.cleanFile}[f.phase:] {
		w.tell()
		if err := phase(ctx); err != nil {
			return f.gone, err
		}
		f.phase++
		err := s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
			_, err := c.exec(ctx, `UPDATE forgetting SET phase = ?, gone = ? WHERE user = ?`, f.phase, f.gone, user)
			return err
		})
		if err != nil {
			return f.gone, err
		}
	}
	return f.gone, s.endForgetting(ctx, user)
}

// endForgetting takes the user's id and names out of the file, too.
func (s *SessionLog) endForgetting(ctx context.Context, user string) error {
	err := s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `DELETE FROM forgetting WHERE user = ?`, user)
		return err
	})
	if err != nil {
		return err
	}
	return s.withEmptyLog(ctx, func(context.Context, *conn) error { return nil })
}

// forgettings lists who is being forgotten.
func (c *conn) forgettings(ctx context.Context) ([]forgetting, error) {
	return rows(ctx, c, `SELECT user, names, keep, instead, line, fact, gone, phase FROM forgetting ORDER BY user`, nil, func(r *sql.Rows) (f forgetting, err error) {
		var names, keep []byte
		if err := r.Scan(&f.User, &names, &keep, &f.Instead, &f.line, &f.fact, &f.gone, &f.phase); err != nil {
			return f, err
		}
		if err := json.Unmarshal(names, &f.Names); err != nil {
			return f, err
		}
		return f, json.Unmarshal(keep, &f.Keep)
	})
}

// forgetWork forgets one user.
type forgetWork struct {
	s        *SessionLog
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
