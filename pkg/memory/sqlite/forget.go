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

// FinishForgetting does one phase after the other.
func (d *dialect) FinishForgetting(ctx context.Context, shared *sqlstore.Store, user string, progress func(memory.Forgetting)) (int, error) {
	s := d.db
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
	w := &forgetWork{s: s, shared: shared, f: &f, progress: progress, resumed: f.phase == phaseText}
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
func (s *database) endForgetting(ctx context.Context, user string) error {
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
	s        *database
	shared   *sqlstore.Store
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
