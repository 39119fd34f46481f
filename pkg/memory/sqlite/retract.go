package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// inMessage says which lines are meant; those of no message never are.
const inMessage = `s.id = ? AND l.ref = ? AND l.ref <> ''`

// Retract deletes the lines of a session that were written in a message, and
// the facts made of them unless a line that stays says the same. It is one
// transaction, on the disk when it returns. What is deleted is overwritten in
// the file, except for copies that SQLite may have left when it spread rows
// over pages; those stay until it writes there, or until somebody is forgotten (see
// [SessionLog.ForgetUser]).
func (s *SessionLog) Retract(ctx context.Context, session, ref string) (n int, err error) {
	defer s.mind.Forget()
	err = s.write(ctx, "retracting lines", func(ctx context.Context, c *conn) error {
		n, err = deleteLines(ctx, c, inMessage, session, ref)
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

// Line returns a line by its id.
func (s *SessionLog) Line(ctx context.Context, id int64) (l memory.Line, err error) {
	err = s.read(ctx, "reading a line", func(c *conn) error {
		found, err := rows(ctx, c, `SELECT `+lineColumns+` FROM lines l JOIN sessions s ON s.n = l.session WHERE l.id = ?`, []any{id}, scanLine)
		if err == nil {
			found, err = hideLines(ctx, c, found, sameLine)
		}
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
	return s.write(ctx, "deleting a line", func(ctx context.Context, c *conn) error {
		n, err := deleteLines(ctx, c, `l.id = ?`, id)
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
func selectLines(ctx context.Context, c *conn, condition string, args ...any) ([]utterance, error) {
	return rows(ctx, c, `SELECT l.id, s.n, s.id, l.speaker, l.text, l.at, `+lineAudience+`, l.day, l.date FROM lines l JOIN sessions s ON s.n = l.session
		WHERE `+condition+` ORDER BY l.id`, args, func(r *sql.Rows) (u utterance, err error) {
		var at int64
		var present string
		var day sql.NullInt64
		err = r.Scan(&u.ID, &u.session, &u.Session, &u.Speaker, &u.Text, &at, &present, &day, &u.Date.Text)
		u.At, u.Present, u.Date.Day = pack.FromStamp(at), pack.VisibleList(present), day.Int64
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
	// The full text collects changes as long as no other table comes between.
	for _, l := range all {
		if err := unindexLine(ctx, c, l); err != nil {
			return 0, err
		}
	}
	for _, l := range all {
		if _, err := c.exec(ctx, `DELETE FROM lines WHERE id = ?`, l.ID); err != nil {
			return 0, err
		}
	}
	return len(all), errors.Join(deleteFactsOfLines(ctx, c, all), forgetIndexed(ctx, c))
}

// unindexLine takes a line out of the full text. The table keeps no text of its
// own: it must be told the very words it was given.
func unindexLine(ctx context.Context, c *conn, l utterance) error {
	_, err := c.exec(ctx, `INSERT INTO lines_text (lines_text, rowid, words) VALUES ('delete', ?, ?)`,
		l.ID, lineWords(l.session, words.Key(l.Text)))
	return err
}

// deleteFactsOfLines deletes the facts of lines that are gone, but for those that
// another line makes, too.
func deleteFactsOfLines(ctx context.Context, c *conn, gone []utterance) error {
	texts := map[string][]string{} // by source
	for _, l := range gone {
		var said bool
		err := c.row(ctx, `SELECT EXISTS (SELECT 1 FROM lines WHERE session = ?1 AND length(CAST(speaker AS BLOB)) + length(CAST(text AS BLOB)) = length(CAST(?2 AS BLOB)) + length(CAST(?3 AS BLOB))
			AND substr(speaker || ': ' || text, -8) = substr(?2 || ': ' || ?3, -8) AND speaker || ': ' || text = ?2 || ': ' || ?3)`,
			[]any{l.session, l.Speaker, l.Text}, &said)
		if err != nil {
			return err
		}
		if f := memory.FactOf(l.Line); !said {
			texts[f.Source] = append(texts[f.Source], f.Text)
		}
	}
	for source, all := range texts {
		slices.Sort(all)
		if err := deleteFacts(ctx, c, source, slices.Compact(all)...); err != nil {
			return err
		}
	}
	return nil
}

// rewordLine gives one line another text, and the fact made of it.
func rewordLine(ctx context.Context, c *conn, l utterance, text string) error {
	if l.Text == text {
		return nil
	}
	if err := unindexLine(ctx, c, l); err != nil {
		return err
	}
	old := l
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
	if err := deleteFactsOfLines(ctx, c, []utterance{old}); err != nil {
		return err
	}
	_, err = putFact(ctx, c, memory.FactOf(l.Line))
	return err
}
