package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Which lines are meant; the tests for the empty string keep speech and what
// nobody said out of it, and let the partial indexes serve.
const (
	inMessage = `s.id = ? AND l.ref = ? AND l.ref <> ''`
	byUser    = `l.user = ? AND l.user <> ''`
)

// Retract deletes the lines of a session that were written in a message, and
// the facts made of them unless a line that stays says the same. It is one
// transaction, on the disk when it returns.
func (s *Store) Retract(ctx context.Context, session, ref string) (n int, err error) {
	err = s.write(ctx, "retracting lines", func(ctx context.Context, c *conn) error {
		n, err = strike(ctx, c, inMessage, session, ref)
		return err
	})
	return n, err
}

// Forget deletes every line of a user, in all sessions, as Retract does.
func (s *Store) Forget(ctx context.Context, user string) (n int, err error) {
	err = s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		n, err = strike(ctx, c, byUser, user)
		return err
	})
	return n, err
}

// Reword gives the lines of a session that were written in a message another
// text. Facts made of them change with them and have no vectors then;
// [Store.Reindex] makes up for it. It is one transaction, on the disk when it
// returns.
func (s *Store) Reword(ctx context.Context, session, ref, text string) (n int, err error) {
	err = s.write(ctx, "rewording lines", func(ctx context.Context, c *conn) error {
		all, err := said(ctx, c, inMessage, session, ref)
		if err != nil {
			return err
		}
		n = len(all)
		for _, l := range all {
			if err := reword(ctx, c, l, text); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// utterance is a line with the number of its session.
type utterance struct {
	memory.Line
	session int64
}

// said returns the lines that meet a condition.
func said(ctx context.Context, c *conn, condition string, args ...any) ([]utterance, error) {
	return rows(ctx, c, `SELECT l.id, s.n, s.id, l.speaker, l.text, l.at FROM lines l JOIN sessions s ON s.n = l.session
		WHERE `+condition, args, func(r *sql.Rows) (u utterance, err error) {
		var at int64
		err = r.Scan(&u.ID, &u.session, &u.Session, &u.Speaker, &u.Text, &at)
		u.At = fromStamp(at)
		return u, err
	})
}

// strike deletes the lines that meet a condition from everything that finds
// them, and returns how many those were.
func strike(ctx context.Context, c *conn, condition string, args ...any) (int, error) {
	all, err := said(ctx, c, condition, args...)
	if err != nil {
		return 0, err
	}
	facts := map[int64]map[string]memory.Fact{} // by session and text
	for _, l := range all {
		if err := unindex(ctx, c, l); err != nil {
			return 0, err
		}
		if _, err := c.exec(ctx, `DELETE FROM lines WHERE id = ?`, l.ID); err != nil {
			return 0, err
		}
		if facts[l.session] == nil {
			facts[l.session] = map[string]memory.Fact{}
		}
		f := memory.FactOf(l.Line)
		facts[l.session][f.Text] = f
	}
	for session, gone := range facts {
		if err := unsay(ctx, c, session, gone); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

// unindex takes a line out of the full text. The table keeps no text of its
// own: it must be told the very words it was given.
func unindex(ctx context.Context, c *conn, l utterance) error {
	_, err := c.exec(ctx, `INSERT INTO lines_text (lines_text, rowid, words) VALUES ('delete', ?, ?)`,
		l.ID, lineWords(l.session, words.Key(l.Text)))
	return err
}

// unsay deletes the facts, by text, that no line of the session makes any more.
func unsay(ctx context.Context, c *conn, session int64, gone map[string]memory.Fact) error {
	_, err := rows(ctx, c, `SELECT speaker || ': ' || text FROM lines WHERE session = ?`, []any{session},
		func(r *sql.Rows) (none struct{}, err error) {
			var text string
			err = r.Scan(&text)
			delete(gone, text)
			return none, err
		})
	if err != nil {
		return err
	}
	for _, f := range gone {
		if err := forget(ctx, c, f.Source, f.Text); err != nil {
			return err
		}
	}
	return nil
}

// reword gives one line another text, and the fact made of it.
func reword(ctx context.Context, c *conn, l utterance, text string) error {
	if l.Text == text {
		return nil
	}
	if err := unindex(ctx, c, l); err != nil {
		return err
	}
	before := memory.FactOf(l.Line)
	l.Text = text
	if _, err := c.exec(ctx, `UPDATE lines SET text = ? WHERE id = ?`, text, l.ID); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `INSERT INTO lines_text (rowid, words) VALUES (?, ?)`, l.ID, lineWords(l.session, words.Key(text))); err != nil {
		return err
	}
	var id int64
	err := c.row(ctx, `SELECT id FROM facts WHERE source = ? AND text = ?`, []any{before.Source, before.Text}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // nobody asked for one
	}
	if err != nil {
		return err
	}
	if err := unsay(ctx, c, l.session, map[string]memory.Fact{before.Text: before}); err != nil {
		return err
	}
	_, _, err = putFact(ctx, c, memory.FactOf(l.Line))
	return err
}
