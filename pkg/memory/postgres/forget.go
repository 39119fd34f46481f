package postgres

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// forgottenAtOnce is how many lines or facts a step of forgetting sees to: others wait
// for no longer than some milliseconds.
const forgottenAtOnce = 64

// What a user who is being forgotten waits for.
const (
	phaseLines  = iota + 1 // lines are deleted
	phaseNames             // names are taken out of what others said and know
	phaseServer            // the server overwrites what was deleted
)

// forgetting is a user who is being forgotten.
type forgetting struct {
	memory.Person
	line, fact int64 // the last that are concerned
	gone       int   // lines that were deleted
}

// Forget deletes every line of a user, in all sessions, as [SessionLog.ForgetPerson]
// does.
func (s *SessionLog) Forget(ctx context.Context, user string) (int, error) {
	return s.ForgetPerson(ctx, memory.Person{User: user}, nil)
}

// ForgetPerson forgets somebody: it deletes the person's lines in all sessions, and those
// of NPCs that repeat their words; puts p.Instead in the place of their names in what others
// said, in facts, in the world and its changes; then has the server take deleted rows out
// of its files. Its write-ahead log and backups of its own are the operator's. It returns
// how many lines of the person are deleted.
//
// It is done in steps, between which others write, and which find what is not yet
// forgotten; progress, if not nil, is told what is done. If ctx ends or the process does,
// what is left is done by [SessionLog.GoOnForgetting]. Who never spoke costs nothing,
// unless p has names.
func (s *SessionLog) ForgetPerson(ctx context.Context, p memory.Person, progress func(memory.Forgetting)) (int, error) {
	if p.User == "" {
		return 0, nil
	}
	known := false
	// Who never spoke is looked for between two equal bounds: of one that it does not know the
	// server would think that it speaks as often as others, and read all lines until it does.
	err := s.read(ctx, "looking for who is to be forgotten", func(c conn) error {
		return row(ctx, c, `SELECT $2::boolean OR EXISTS (SELECT 1 FROM lines WHERE said_by BETWEEN $1 AND $1 AND said_by <> '') OR EXISTS (SELECT 1 FROM forgetting WHERE said_by = $1)
			OR EXISTS (SELECT 1 FROM world_changes WHERE who = $1)`, []any{keepable(p.User), len(p.Names) > 0}, &known)
	})
	if err != nil || !known {
		return 0, err
	}
	f := &forgetting{Person: p}
	if err := s.beginForgetting(ctx, f); err != nil {
		return 0, err
	}
	err = s.finishForgetting(ctx, f, progress)
	return f.gone, err
}

// NamesOf lists under which names a user spoke.
func (s *SessionLog) NamesOf(ctx context.Context, user string) (names []string, err error) {
	if user == "" {
		return nil, nil
	}
	err = s.read(ctx, "looking for a user's names", func(c conn) (err error) {
		names, err = rows(ctx, c, `SELECT DISTINCT speaker COLLATE "C" AS name FROM lines WHERE said_by = $1 AND said_by <> '' ORDER BY name`, []any{keepable(user)}, scanText)
		return err
	})
	return names, err
}

// GoOnForgetting finishes what [SessionLog.ForgetPerson] began and did not come to the end
// of, and returns how many people that were.
func (s *SessionLog) GoOnForgetting(ctx context.Context) (n int, err error) {
	var left []forgetting
	err = s.read(ctx, "looking for who is to be forgotten", func(c conn) (err error) {
		left, err = rows(ctx, c, `SELECT said_by, names, keep, instead, line, fact FROM forgetting ORDER BY said_by`, nil, scanForgetting)
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

func scanForgetting(r pgx.Rows) (f forgetting, err error) {
	var names, keep string
	if err := r.Scan(&f.User, &names, &keep, &f.Instead, &f.line, &f.fact); err != nil {
		return f, err
	}
	f.User, f.Instead = restored(f.User), restored(f.Instead)
	if err := json.Unmarshal([]byte(names), &f.Names); err != nil {
		return f, err
	}
	return f, json.Unmarshal([]byte(keep), &f.Keep)
}

// beginForgetting writes down that somebody is forgotten.
func (s *SessionLog) beginForgetting(ctx context.Context, f *forgetting) error {
	f.Instead = cmp.Or(f.Instead, memory.Someone)
	keep, err := json.Marshal(f.Keep)
	if err != nil {
		return err
	}
	given := f.Names
	return s.write(ctx, "forgetting a user", func(ctx context.Context, c conn) error {
		user := keepable(f.User)
		// Under names of their own others speak, too. In order the server finds the next of these
		// in its index; looking for any other it may read all lines.
		const others = `SELECT 1 FROM lines o WHERE left(o.speaker, 64) = left(n.speaker, 64) AND o.speaker = n.speaker AND o.said_by <> '' AND o.said_by `
		names, err := rows(ctx, c, `SELECT speaker FROM (SELECT DISTINCT speaker FROM lines WHERE said_by = $1 AND said_by <> '') n
			WHERE (`+others+`> $1 ORDER BY o.said_by LIMIT 1) IS NULL AND (`+others+`< $1 ORDER BY o.said_by DESC LIMIT 1) IS NULL`, []any{user}, scanText)
		if err != nil {
			return err
		}
		f.Names = append(names, given...)
		list, err := json.Marshal(f.Names)
		if err != nil {
			return err
		}
		err = row(ctx, c, `INSERT INTO forgetting (said_by, names, keep, instead, line, fact) VALUES ($1, $2, $3, $4,
			(SELECT coalesce(max(id), 0) FROM lines), (SELECT coalesce(max(id), 0) FROM facts))
			ON CONFLICT (said_by) DO UPDATE SET names = excluded.names, keep = excluded.keep, instead = excluded.instead,
				line = excluded.line, fact = excluded.fact RETURNING line, fact`,
			[]any{user, string(list), string(keep), keepable(f.Instead)}, &f.line, &f.fact)
		if err != nil {
			return err
		}
		return forgetWorldChanger(ctx, c, f.User)
	})
}

// finishForgetting does what is left to do of a user who is being forgotten. What is done
// already it does not find again.
func (s *SessionLog) finishForgetting(ctx context.Context, f *forgetting, progress func(memory.Forgetting)) error {
	defer s.mind.Forget()
	defer s.askForIndexing()
	for phase, do := range []func(context.Context, *forgetting, func()) error{s.forgetLines, s.forgetNames, s.endForgetting} {
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

// endForgetting has the server overwrite what was deleted, and takes the user's id and names
// out of it, too.
func (s *SessionLog) endForgetting(ctx context.Context, f *forgetting, _ func()) error {
	if err := s.vacuum(ctx, `lines, line_words, facts, fact_words, world_changes, entities, entity_names, entity_words, relations`); err != nil {
		return err
	}
	err := s.write(ctx, "forgetting a user", func(ctx context.Context, c conn) error {
		// Who is to be forgotten once more meanwhile still is.
		_, err := exec(ctx, c, `DELETE FROM forgetting WHERE said_by = $1 AND line <= $2`, keepable(f.User), f.line)
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
