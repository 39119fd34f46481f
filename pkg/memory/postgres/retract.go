package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// inMessage says which lines are meant; those of no message never are.
const inMessage = `s.id = $1 AND l.ref = $2 AND l.ref <> ''`

// Retract deletes the lines of a session that were written in a message, and
// the facts made of them unless a line that stays says the same. It is one
// transaction, on the server's disk when it returns.
func (s *SessionLog) Retract(ctx context.Context, session, ref string) (n int, err error) {
	defer s.mind.Forget()
	err = s.write(ctx, "retracting lines", func(ctx context.Context, c conn) error {
		n, err = deleteLines(ctx, c, inMessage, keepable(session), keepable(ref))
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Reword gives the lines of a session that were written in a message another
// text. Facts made of them change with them and have no vectors then;
// [Index.EmbedFacts] makes up for it. It is one transaction, on the disk when it
// returns.
func (s *SessionLog) Reword(ctx context.Context, session, ref, text string) (n int, err error) {
	defer s.mind.Forget()
	defer s.askForIndexing()
	err = s.write(ctx, "rewording lines", func(ctx context.Context, c conn) error {
		all, err := selectLines(ctx, c, inMessage, keepable(session), keepable(ref))
		if err != nil {
			return err
		}
		n = len(all)
		for _, l := range all {
			if err := rewordLine(ctx, c, l, text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Line returns a line by its id.
func (s *SessionLog) Line(ctx context.Context, id int64) (l memory.Line, err error) {
	err = s.read(ctx, "reading a line", func(c conn) error {
		found, err := rows(ctx, c, `SELECT `+lineColumns+` FROM lines l JOIN sessions s ON s.n = l.session WHERE l.id = $1`, []any{id}, scanLine)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("line %d: %w", id, memory.ErrNotFound)
		}
		if err == nil {
			l = found[0]
		}
		return err
	})
	return l, err
}

// DeleteLine deletes one line, as [SessionLog.Retract] does.
func (s *SessionLog) DeleteLine(ctx context.Context, id int64) error {
	defer s.mind.Forget()
	return s.write(ctx, "deleting a line", func(ctx context.Context, c conn) error {
		n, err := deleteLines(ctx, c, `l.id = $1`, id)
		if err == nil && n == 0 {
			err = fmt.Errorf("line %d: %w", id, memory.ErrNotFound)
		}
		return err
	})
}

// utterance is a line with the number of its session.
type utterance struct {
	memory.Line
	session int64
}

// selectLines returns the lines that meet a condition, in the order of their ids.
func selectLines(ctx context.Context, c conn, condition string, args ...any) ([]utterance, error) {
	return rows(ctx, c, `SELECT l.id, s.n, s.id, l.speaker, l.text, l.at, `+audienceIn("l")+`, l.day, l.date FROM lines l JOIN sessions s ON s.n = l.session
		WHERE `+condition+` ORDER BY l.id`, args, func(r pgx.Rows) (u utterance, err error) {
		var at int64
		var present string
		var day *int64
		err = r.Scan(&u.ID, &u.session, &u.Session, &u.Speaker, &u.Text, &at, &present, &day, &u.Date.Text)
		u.Present, u.Date = listed(present), dateOf(day, u.Date.Text)
		u.Session, u.Speaker, u.Text = restored(u.Session), restored(u.Speaker), restored(u.Text)
		u.At = pack.FromStamp(at)
		return u, err
	})
}

// deleteLines deletes the lines that meet a condition from everything that finds
// them, and returns how many those were.
func deleteLines(ctx context.Context, c conn, condition string, args ...any) (int, error) {
	all, err := selectLines(ctx, c, condition, args...)
	if err != nil {
		return 0, err
	}
	texts := map[int64]map[string]bool{} // of facts, by session
	sources := map[int64]string{}
	var ids []int64
	for _, l := range all {
		ids = append(ids, l.ID)
		f := memory.FactOf(l.Line)
		if texts[l.session] == nil {
			texts[l.session] = map[string]bool{}
		}
		texts[l.session][f.Text] = true
		sources[l.session] = f.Source
	}
	if _, err := exec(ctx, c, `WITH gone AS (DELETE FROM lines WHERE id = ANY($1) RETURNING session)
		UPDATE sessions s SET lines = lines - g.n FROM (SELECT session, count(*) AS n FROM gone GROUP BY session) g WHERE s.n = g.session`, ids); err != nil {
		return 0, err
	}
	for session, gone := range texts {
		if err := deleteFactsOfLines(ctx, c, session, sources[session], gone); err != nil {
			return 0, err
		}
	}
	return len(all), forgetIndexed(ctx, c)
}

// deleteFactsOfLines deletes those facts of a session, by text, that no line of it makes any
// more.
func deleteFactsOfLines(ctx context.Context, c conn, session int64, source string, texts map[string]bool) error {
	kept := make([]string, 0, len(texts))
	for text := range texts {
		kept = append(kept, keepable(text))
	}
	_, err := rows(ctx, c, `SELECT speaker || ': ' || text FROM lines WHERE session = $1 AND speaker || ': ' || text = ANY($2)`, []any{session, kept},
		func(r pgx.Rows) (none struct{}, err error) {
			text, err := scanText(r)
			delete(texts, text)
			return none, err
		})
	if err != nil {
		return err
	}
	return deleteFacts(ctx, c, source, slices.Collect(maps.Keys(texts))...)
}

// rewordLine gives one line another text, and the fact made of it.
func rewordLine(ctx context.Context, c conn, l utterance, text string) error {
	if l.Text == text {
		return nil
	}
	before := memory.FactOf(l.Line)
	l.Text = text
	if _, err := exec(ctx, c, `UPDATE lines SET text = $1 WHERE id = $2`, keepable(text), l.ID); err != nil {
		return err
	}
	if _, err := exec(ctx, c, `DELETE FROM line_words WHERE line = $1`, l.ID); err != nil {
		return err
	}
	var now postings
	now.add(l.ID, l.session, text)
	if err := now.insert(ctx, c); err != nil {
		return err
	}
	var id int64
	err := row(ctx, c, `SELECT id FROM facts WHERE hash = $1`, []any{factHash(before.Source, before.Text)}, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // nobody asked for one
	}
	if err != nil {
		return err
	}
	if err := deleteFactsOfLines(ctx, c, l.session, before.Source, map[string]bool{before.Text: true}); err != nil {
		return err
	}
	_, err = putFact(ctx, c, memory.FactOf(l.Line))
	return err
}
