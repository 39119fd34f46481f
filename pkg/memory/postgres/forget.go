package postgres

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// forgottenAtOnce is the number of lines that one step of forgetting deletes. It is small so that others wait
// only a few milliseconds.
const forgottenAtOnce = 64

// Phases of forgetting a user.
const (
	phaseLines  = iota + 1 // delete the lines
	phaseServer            // have the server overwrite deleted data
)

// forgetting is the state of forgetting one user.
type forgetting struct {
	shared       *sqlstore.Store
	user         string
	line         int64 // the last line to forget
	deletedLines int   // number of deleted lines
}

// FinishForgetting runs both phases.
func (d *dialect) FinishForgetting(ctx context.Context, shared *sqlstore.Store, user string, progress func(memory.Forgetting)) (int, error) {
	defer d.db.signalUnindexed()
	f := &forgetting{user: user, shared: shared}
	err := d.Read(ctx, "looking for who is to be forgotten", func(c sqlstore.Conn) error {
		return c.Row(ctx, `SELECT line FROM forgetting WHERE said_by = $1`, []any{user}, &f.line)
	})
	if errors.Is(err, sqlstore.ErrNoRows) {
		return 0, nil // another process has finished it
	}
	if err != nil {
		return 0, err
	}
	for phase, do := range []func(context.Context, *forgetting, func()) error{d.db.forgetLines, d.db.endForgetting} {
		tell := func() {
			if progress != nil {
				progress(memory.Forgetting{Phase: phase + phaseLines, Phases: phaseServer, Lines: f.deletedLines})
			}
		}
		tell()
		if err := do(ctx, f, tell); err != nil {
			return f.deletedLines, err
		}
	}
	return f.deletedLines, nil
}

// forgetLines deletes the user's lines.
func (s *database) forgetLines(ctx context.Context, f *forgetting, tell func()) error {
	n := 0
	done := func() {
		f.deletedLines += n
		tell()
	}
	return s.inSteps(ctx, done, func(ctx context.Context, c conn, after int64) (int64, error) {
		ids, err := sqlstore.Rows(ctx, c, `SELECT id FROM lines WHERE said_by = $1 AND said_by <> '' AND id > $2 AND id <= $3 ORDER BY id LIMIT $4`,
			[]any{f.user, after, f.line, forgottenAtOnce}, sqlstore.ScanID)
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		n, err = sqlstore.DeleteLines(ctx, f.shared, c, `l.id = ANY($1)`, ids)
		return ids[len(ids)-1], err
	})
}

// endForgetting has the server overwrite the deleted data, and removes the user's id as well.
func (s *database) endForgetting(ctx context.Context, f *forgetting, _ func()) error {
	if err := s.vacuum(ctx, `lines, line_words, facts, fact_words, world_changes`); err != nil {
		return err
	}
	err := s.write(ctx, "forgetting a user", func(ctx context.Context, c conn) error {
		// Keep the row if the user is to be forgotten up to a later line meanwhile.
		_, err := c.Exec(ctx, `DELETE FROM forgetting WHERE said_by = $1 AND line <= $2`, f.user, f.line)
		return err
	})
	if err != nil {
		return err
	}
	return s.vacuum(ctx, `forgetting`)
}

// vacuum has the server overwrite deleted rows without blocking writers.
func (s *database) vacuum(ctx context.Context, tables string) error {
	if err := s.beginCall(); err != nil {
		return err
	}
	defer s.endCall()
	_, err := s.pool.Exec(ctx, `VACUUM `+tables)
	return s.explain(ctx, "cleaning the database of what was deleted", err)
}

// inSteps calls step with the last id handled so far, until it returns 0. Each step is an unsynced
// transaction. If the server loses it, it is done again.
func (s *database) inSteps(ctx context.Context, tell func(), step func(ctx context.Context, c conn, after int64) (last int64, err error)) error {
	for after := int64(0); ; {
		last := int64(0)
		err := s.writeUnsynced(ctx, "forgetting a user", func(ctx context.Context, c conn) (err error) {
			last, err = step(ctx, c, after)
			return err
		})
		if err != nil || last == 0 {
			return err
		}
		after = last
		tell()
	}
}
