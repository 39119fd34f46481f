package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// Phases of forgetting a user. After a crash, the current phase is repeated; work that is already done is not
// repeated.
const (
	phaseLines = iota // delete the lines
	phaseText         // remove the words of deleted lines from the full-text index
	phaseFile         // overwrite copies in the file
)

// forgetting is the state of forgetting one user.
type forgetting struct {
	user         string
	line         int64 // the last line to forget
	deletedLines int   // number of deleted lines
	phase        int
}

// FinishForgetting runs the remaining phases.
func (d *dialect) FinishForgetting(ctx context.Context, shared *sqlstore.Store, user string, progress func(memory.Forgetting)) (int, error) {
	s := d.db
	select {
	case s.forgets <- struct{}{}: // only one user at a time
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
		return f.deletedLines, err
	}
	w := &forgetWork{s: s, shared: shared, f: &f, progress: progress, resumed: f.phase == phaseText}
	for _, phase := range []func(context.Context) error{w.deleteLines, w.dropWords, w.cleanFile}[f.phase:] {
		w.reportProgress()
		if err := phase(ctx); err != nil {
			return f.deletedLines, err
		}
		f.phase++
		err := s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
			_, err := c.Exec(ctx, `UPDATE forgetting SET phase = ?, gone = ? WHERE user = ?`, f.phase, f.deletedLines, user)
			return err
		})
		if err != nil {
			return f.deletedLines, err
		}
	}
	return f.deletedLines, s.endForgetting(ctx, user)
}

// endForgetting removes the user's id from the file as well.
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

// forgettings lists the users who are being forgotten.
func forgettings(ctx context.Context, c sqlstore.Conn) ([]forgetting, error) {
	return sqlstore.Rows(ctx, c, `SELECT user, line, gone, phase FROM forgetting ORDER BY user`, nil, func(r sqlstore.Row) (f forgetting, err error) {
		return f, r.Scan(&f.user, &f.line, &f.deletedLines, &f.phase)
	})
}

// forgetWork forgets one user.
type forgetWork struct {
	s          *database
	shared     *sqlstore.Store
	f          *forgetting
	progress   func(memory.Forgetting)
	reportedAt time.Time
	// resumed means that an earlier run was interrupted while merging the full-text index.
	resumed bool
}

// reportProgress reports the progress, at most twice a second.
func (w *forgetWork) reportProgress() {
	if w.progress != nil && time.Since(w.reportedAt) > time.Second/2 {
		w.reportedAt = time.Now()
		w.progress(memory.Forgetting{Phase: w.f.phase + 1, Phases: phaseFile + 1, Lines: w.f.deletedLines})
	}
}

// Each step of a phase holds the writer for about stepTime, which limits how long others wait.
const (
	stepTime  = 12 * time.Millisecond
	firstStep = 16
	mostSteps = 2048
)

// pace is the size of the steps of a phase.
type pace int

// adjust adjusts the size after a step that adjust d.
func (p *pace) adjust(d time.Duration) {
	next := float64(*p) * min(2, float64(stepTime)/float64(max(d, time.Microsecond)))
	*p = pace(min(max(next, 1), mostSteps))
}

// step runs one step of a phase as an unsynced transaction. If it is lost, it is done again.
func (w *forgetWork) step(ctx context.Context, size *pace, do func(ctx context.Context, c *conn) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("forgetting a user: %w", err)
	}
	var start time.Time
	err := w.s.writeUnsynced(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		start = time.Now()
		return do(ctx, c)
	})
	size.adjust(time.Since(start))
	w.reportProgress()
	if err != nil {
		return err
	}
	return w.s.drainLog(ctx)
}
