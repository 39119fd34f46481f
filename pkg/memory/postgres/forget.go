package postgres

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// forgottenAtOnce is how many lines or facts a step of forgetting sees to: others wait
// for no longer than some milliseconds.
const forgottenAtOnce = 64

// What a user who is being forgotten waits for.
const (
	phaseLines  = iota + 1 // lines are deleted
	phaseServer            // the server overwrites what was deleted
)

// forgetting is a user who is being forgotten.
type forgetting struct {
	user string
	line int64 // the last line that is the user's to be forgotten
	gone int   // lines that were deleted
}

// Forget is [Store.ForgetUser] without progress.
func (s *Store) Forget(ctx context.Context, user string) (int, error) {
	return s.ForgetUser(ctx, user, nil)
}

// ForgetUser deletes the lines that a user spoke, in all sessions, and the facts made of
// them; then it has the server take deleted rows out of its files. The server's write-ahead log and
// backups are the operator's. It returns how many lines it deleted. What others said, facts and
// the world stay as they are.
//
// It is done in steps, between which others write, and which find what is not yet
// forgotten; progress, if not nil, is called with what is done. If ctx ends or the process does,
// what is left is done by [Store.GoOnForgetting]. A user who never spoke costs nothing.
func (s *Store) ForgetUser(ctx context.Context, user string, progress func(memory.Forgetting)) (int, error) {
	if user == "" {
		return 0, nil
	}
	known := false
	// A user who never spoke is looked for between two equal bounds: of a user that it does not know
	// the server would think that they speak as often as others, and read all lines until they do.
	err := s.read(ctx, "looking for who is to be forgotten", func(c conn) error {
		return c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM lines WHERE said_by BETWEEN $1 AND $1 AND said_by <> '') OR EXISTS (SELECT 1 FROM forgetting WHERE said_by = $1)
			OR EXISTS (SELECT 1 FROM world_changes WHERE who = $1)`, []any{user}, &known)
	})
	if err != nil || !known {
		return 0, err
	}
	f := &forgetting{user: user}
	if err := s.beginForgetting(ctx, f); err != nil {
		return 0, err
	}
	err = s.finishForgetting(ctx, f, progress)
	return f.gone, err
}

// NamesOf lists under which names a user spoke.
func (s *Store) NamesOf(ctx context.Context, user string) (names []string, err error) {
	if user == "" {
		return nil, nil
	}
	err = s.read(ctx, "looking for a user's names", func(c conn) (err error) {
		names, err = sqlstore.Rows(ctx, c, `SELECT DISTINCT speaker COLLATE "C" AS name FROM lines WHERE said_by = $1 AND said_by <> '' ORDER BY name`, []any{user}, sqlstore.ScanText)
		return err
	})
	return names, err
}

// GoOnForgetting finishes what [Store.ForgetUser] began and did not come to the end
// of, and returns how many users that were.
func (s *Store) GoOnForgetting(ctx context.Context) (n int, err error) {
	var left []forgetting
	err = s.read(ctx, "looking for who is to be forgotten", func(c conn) (err error) {
		left, err = sqlstore.Rows(ctx, c, `SELECT said_by, line FROM forgetting ORDER BY said_by`, nil, scanForgetting)
		return err
	})
	for i := range left {
		if err != nil {
			break
		}
		err = s.finishForgetting(ctx, &left[i], nil)
		n++
	}
	return n, err
}

func scanForgetting(r sqlstore.Row) (f forgetting, err error) {
	return f, r.Scan(&f.user, &f.line)
}

// beginForgetting writes down that a user is forgotten.
func (s *Store) beginForgetting(ctx context.Context, f *forgetting) error {
	return s.write(ctx, "forgetting a user", func(ctx context.Context, c conn) error {
		err := c.Row(ctx, `INSERT INTO forgetting (said_by, line) VALUES ($1, (SELECT coalesce(max(id), 0) FROM lines))
			ON CONFLICT (said_by) DO UPDATE SET line = excluded.line RETURNING line`, []any{f.user}, &f.line)
		if err != nil {
			return err
		}
		return sqlstore.ForgetWorldChanger(ctx, c, f.user)
	})
}

// finishForgetting does what is left to do of a user who is being forgotten. What is done
// already it does not find again.
func (s *Store) finishForgetting(ctx context.Context, f *forgetting, progress func(memory.Forgetting)) error {
	defer sqlstore.LinesGone(s.memoryStore)
	defer s.database.askForIndexing()
	for phase, do := range []func(context.Context, *forgetting, func()) error{s.forgetLines, s.endForgetting} {
		tell := func() {
			if progress != nil {
				progress(memory.Forgetting{Phase: phase + phaseLines, Phases: phaseServer, Lines: f.gone})
			}
		}
		tell()
		if err := do(ctx, f, tell); err != nil {
			return err
		}
	}
	return nil
}

// forgetLines deletes the user's lines.
func (s *Store) forgetLines(ctx context.Context, f *forgetting, tell func()) error {
	n := 0
	done := func() {
		f.gone += n
		tell()
	}
	return s.inSteps(ctx, done, func(ctx context.Context, c conn, after int64) (int64, error) {
		ids, err := sqlstore.Rows(ctx, c, `SELECT id FROM lines WHERE said_by = $1 AND said_by <> '' AND id > $2 AND id <= $3 ORDER BY id LIMIT $4`,
			[]any{f.user, after, f.line, forgottenAtOnce}, sqlstore.ScanID)
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		n, err = sqlstore.DeleteLines(ctx, s.memoryStore, c, `l.id = ANY($1)`, ids)
		return ids[len(ids)-1], err
	})
}

// endForgetting has the server overwrite what was deleted, and takes the user's id
// out of it, too.
func (s *Store) endForgetting(ctx context.Context, f *forgetting, _ func()) error {
	if err := s.vacuum(ctx, `lines, line_words, facts, fact_words, world_changes`); err != nil {
		return err
	}
	err := s.write(ctx, "forgetting a user", func(ctx context.Context, c conn) error {
		// Who is to be forgotten once more meanwhile still is.
		_, err := c.Exec(ctx, `DELETE FROM forgetting WHERE said_by = $1 AND line <= $2`, f.user, f.line)
		return err
	})
	if err != nil {
		return err
	}
	return s.vacuum(ctx, `forgetting`)
}

// vacuum has the server overwrite what was deleted, without holding up writers.
func (s *database) vacuum(ctx context.Context, tables string) error {
	if err := s.beginCall(); err != nil {
		return err
	}
	defer s.endCall()
	_, err := s.pool.Exec(ctx, `VACUUM `+tables)
	return s.explain(ctx, "cleaning the database of what was deleted", err)
}

// inSteps has step do its work on what comes after the last id it has seen, until it
// returns that there is no more. A step is a transaction of its own; what of it the end of
// the server takes is done again.
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
