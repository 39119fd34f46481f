package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Which lines are meant; those of no message and of no user never are.
const (
	inMessage = `s.id = ? AND l.ref = ? AND l.ref <> ''`
	byUser    = `l.user = ? AND l.user <> ''`
)

// The full text looks up every word it deletes, which for many lines takes the
// square of the time of one. Between these two it only notes what is deleted,
// and is then written anew without it.
const (
	noteDeleted = `INSERT INTO lines_text (lines_text, rank) VALUES ('secure-delete', 0);
		INSERT INTO facts_text (facts_text, rank) VALUES ('secure-delete', 0)`
	dropDeleted = `INSERT INTO lines_text (lines_text) VALUES ('optimize');
		INSERT INTO facts_text (facts_text) VALUES ('optimize');
		INSERT INTO lines_text (lines_text, rank) VALUES ('secure-delete', 1);
		INSERT INTO facts_text (facts_text, rank) VALUES ('secure-delete', 1)`
)

// Retract deletes the lines of a session that were written in a message, and
// the facts made of them unless a line that stays says the same. It is one
// transaction, on the disk when it returns. What is deleted is overwritten in
// the file, except for copies that SQLite may have left when it spread rows
// over pages; those stay until it writes there, or until [SessionLog.Forget].
func (s *SessionLog) Retract(ctx context.Context, session, ref string) (n int, err error) {
	err = s.write(ctx, "retracting lines", func(ctx context.Context, c *conn) error {
		n, err = deleteLines(ctx, c, inMessage, session, ref)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Forget deletes every line of a user, in all sessions, as Retract does, and the user's
// name from the changes of the world. Then
// it writes the file anew, so that nothing of what was ever deleted is left in
// it, nor in the log beside it; writers wait meanwhile, about a second for
// 100,000 lines. If that fails, the error says so, and the lines are deleted
// all the same; forgetting again makes up for it.
func (s *SessionLog) Forget(ctx context.Context, user string) (n int, err error) {
	if user == "" {
		return 0, nil
	}
	err = s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		if err := c.script(ctx, noteDeleted); err != nil {
			return err
		}
		if n, err = deleteLines(ctx, c, byUser, user); err != nil {
			return err
		}
		if err := forgetWorldChanger(ctx, c, user); err != nil {
			return err
		}
		return c.script(ctx, dropDeleted)
	})
	if err != nil {
		return 0, err
	}
	return n, s.lendWriter(ctx, "cleaning the file of what was deleted", rewriteFile)
}

// rewriteFile takes what was deleted out of the file.
func rewriteFile(ctx context.Context, c *conn) error {
	if err := c.script(ctx, `VACUUM`); err != nil {
		return err
	}
	var busy bool
	var frames, moved int
	if err := c.row(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, &busy, &frames, &moved); err != nil {
		return err
	}
	if busy {
		return ErrBusy
	}
	return nil
}

// Reword gives the lines of a session that were written in a message another
// text. Facts made of them change with them and have no vectors then;
// [Index.EmbedFacts] makes up for it. It is one transaction, on the disk when it
// returns.
func (s *SessionLog) Reword(ctx context.Context, session, ref, text string) (n int, err error) {
	defer s.askForIndexing()
	err = s.write(ctx, "rewording lines", func(ctx context.Context, c *conn) error {
		all, err := selectLines(ctx, c, inMessage, session, ref)
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

// utterance is a line with the number of its session.
type utterance struct {
	memory.Line
	session int64
}

// selectLines returns the lines that meet a condition, in the order of their ids.
func selectLines(ctx context.Context, c *conn, condition string, args ...any) ([]utterance, error) {
	return rows(ctx, c, `SELECT l.id, s.n, s.id, l.speaker, l.text, l.at, `+lineAudience+`, l.day, l.date FROM lines l JOIN sessions s ON s.n = l.session
		WHERE `+condition+` ORDER BY l.id`, args, func(r *sql.Rows) (u utterance, err error) {
		var at int64
		var present string
		var day sql.NullInt64
		err = r.Scan(&u.ID, &u.session, &u.Session, &u.Speaker, &u.Text, &at, &present, &day, &u.Date.Text)
		u.At, u.Present, u.Date.Day = fromStamp(at), unpackVisible(present), day.Int64
		return u, err
	})
}

// deleteLines deletes the lines that meet a condition from everything that finds
// them, and returns how many those were.
func deleteLines(ctx context.Context, c *conn, condition string, args ...any) (int, error) {
	all, err := selectLines(ctx, c, condition, args...)
	if err != nil {
		return 0, err
	}
	texts := map[int64]map[string]bool{} // of facts, by session
	sources := map[int64]string{}
	for _, l := range all {
		if err := unindexLine(ctx, c, l); err != nil {
			return 0, err
		}
		if _, err := c.exec(ctx, `DELETE FROM lines WHERE id = ?`, l.ID); err != nil {
			return 0, err
		}
		f := memory.FactOf(l.Line)
		if texts[l.session] == nil {
			texts[l.session] = map[string]bool{}
		}
		texts[l.session][f.Text] = true
		sources[l.session] = f.Source
	}
	for session, gone := range texts {
		if err := deleteFactsOfLines(ctx, c, session, sources[session], gone); err != nil {
			return 0, err
		}
	}
	return len(all), forgetIndexed(ctx, c)
}

// unindexLine takes a line out of the full text. The table keeps no text of its
// own: it must be told the very words it was given.
func unindexLine(ctx context.Context, c *conn, l utterance) error {
	_, err := c.exec(ctx, `INSERT INTO lines_text (lines_text, rowid, words) VALUES ('delete', ?, ?)`,
		l.ID, lineWords(l.session, words.Key(l.Text)))
	return err
}

// deleteFactsOfLines deletes those facts of a session, by text, that no line of it makes any
// more.
func deleteFactsOfLines(ctx context.Context, c *conn, session int64, source string, texts map[string]bool) error {
	_, err := rows(ctx, c, `SELECT speaker || ': ' || text FROM lines WHERE session = ?`, []any{session},
		func(r *sql.Rows) (none struct{}, err error) {
			var text string
			err = r.Scan(&text)
			delete(texts, text)
			return none, err
		})
	if err != nil {
		return err
	}
	return deleteFacts(ctx, c, source, slices.Collect(maps.Keys(texts))...)
}

// rewordLine gives one line another text, and the fact made of it.
func rewordLine(ctx context.Context, c *conn, l utterance, text string) error {
	if l.Text == text {
		return nil
	}
	if err := unindexLine(ctx, c, l); err != nil {
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
	if err := deleteFactsOfLines(ctx, c, l.session, before.Source, map[string]bool{before.Text: true}); err != nil {
		return err
	}
	_, err = putFact(ctx, c, memory.FactOf(l.Line))
	return err
}
