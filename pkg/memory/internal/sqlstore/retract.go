package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// inMessage selects the lines of a message. An empty ref selects none.
const inMessage = `s.id = $1 AND l.ref = $2 AND l.ref <> ''`

// Retract deletes the lines of a session that came from the message ref, and the facts made from them unless
// a remaining line has the same text. It is one transaction, and on disk when it returns.
//
// SQLite overwrites deleted content, except for copies it may have left while moving rows between pages.
// Those remain until the pages are written again, or until a user is forgotten. PostgreSQL overwrites it when
// it vacuums.
func (s *Store) Retract(ctx context.Context, session, ref string) (n int, err error) {
	defer s.lineCache.Forget()
	err = s.d.Write(ctx, "retracting lines", func(ctx context.Context, c Conn) error {
		n, err = DeleteLines(ctx, s, c, inMessage, session, ref)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Reword replaces the text of the lines that came from the message ref, and of the facts made from them. The
// changed facts have no vectors until [Store.EmbedFacts] runs. It is one transaction, and on disk when it
// returns.
func (s *Store) Reword(ctx context.Context, session, ref, text string) (n int, err error) {
	defer s.lineCache.Forget()
	defer s.signalUnindexed()
	err = s.d.Write(ctx, "rewording lines", func(ctx context.Context, c Conn) error {
		all, err := utterances(ctx, c, inMessage, session, ref)
		if err != nil {
			return err
		}
		n = len(all)
		for _, u := range all {
			if err := s.rewordLine(ctx, c, u, text); err != nil {
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

// DeleteLine deletes one line, as [Store.Retract] does.
func (s *Store) DeleteLine(ctx context.Context, id int64) error {
	defer s.lineCache.Forget()
	return s.d.Write(ctx, "deleting a line", func(ctx context.Context, c Conn) error {
		n, err := DeleteLines(ctx, s, c, `l.id = $1`, id)
		if err == nil && n == 0 {
			err = fmt.Errorf("line %d: %w", id, memory.ErrNotFound)
		}
		return err
	})
}

// utterances returns the lines that meet a condition, ordered by id.
func utterances(ctx context.Context, c Conn, condition string, args ...any) ([]Utterance, error) {
	return Rows(ctx, c, `SELECT l.id, s.n, s.id, l.speaker, l.text, l.at, `+audienceOfLine+`, l.day, l.date FROM lines l JOIN sessions s ON s.n = l.session
		WHERE `+condition+` ORDER BY l.id`, args, func(r Row) (u Utterance, err error) {
		var at int64
		var present string
		var day *int64
		err = r.Scan(&u.ID, &u.SessionNumber, &u.Session, &u.Speaker, &u.Text, &at, &present, &day, &u.Date.Text)
		u.At, u.Present, u.Date = FromStamp(at), VisibleList(present), dateOf(day, u.Date.Text)
		return u, err
	})
}

// DeleteLines deletes the lines that meet a condition on l, removes them from all indexes, and returns their
// number.
func DeleteLines(ctx context.Context, s *Store, c Conn, condition string, args ...any) (int, error) {
	all, err := utterances(ctx, c, condition, args...)
	if err != nil {
		return 0, err
	}
	if err := s.d.DeleteLines(ctx, c, all); err != nil {
		return 0, err
	}
	if err := s.deleteFactsOfLines(ctx, c, all); err != nil {
		return 0, err
	}
	// Ids of deleted lines may be reused.
	_, err = c.Exec(ctx, `UPDATE indexed_lines SET line = (SELECT coalesce(max(id), 0) FROM lines)
		WHERE line > (SELECT coalesce(max(id), 0) FROM lines)`)
	return len(all), err
}

// deleteFactsOfLines deletes the facts made from deleted lines, unless another line produces the same fact.
func (s *Store) deleteFactsOfLines(ctx context.Context, c Conn, gone []Utterance) error {
	texts := map[int64]map[string]bool{} // by session number
	sources := map[int64]string{}
	for _, u := range gone {
		f := memory.FactOf(u.Line)
		if texts[u.SessionNumber] == nil {
			texts[u.SessionNumber] = map[string]bool{}
		}
		texts[u.SessionNumber][f.Text] = true
		sources[u.SessionNumber] = f.Source
	}
	for session, lost := range texts {
		said, err := s.d.StillProduced(ctx, c, session, slices.Sorted(maps.Keys(lost)))
		if err != nil {
			return err
		}
		for _, text := range said {
			delete(lost, text)
		}
		if err := s.d.DeleteFacts(ctx, c, sources[session], slices.Sorted(maps.Keys(lost))); err != nil {
			return err
		}
	}
	return nil
}

// rewordLine replaces the text of one line and of the fact made from it.
func (s *Store) rewordLine(ctx context.Context, c Conn, u Utterance, text string) error {
	if u.Text == text {
		return nil
	}
	old := u
	u.Text = text
	// The words come first: in SQLite, updating the line first takes a fifth longer.
	if err := s.d.ReplaceWords(ctx, c, old, text); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, `UPDATE lines SET text = $1 WHERE id = $2`, text, u.ID); err != nil {
		return err
	}
	var id, embedded int64
	before := memory.FactOf(old.Line)
	err := c.Row(ctx, s.sql.findFact, s.syntax.FactKey(before.Source, before.Text), &id, &embedded)
	if errors.Is(err, ErrNoRows) {
		return nil // the line has no fact
	}
	if err != nil {
		return err
	}
	if err := s.deleteFactsOfLines(ctx, c, []Utterance{old}); err != nil {
		return err
	}
	_, err = s.putFact(ctx, c, memory.FactOf(u.Line))
	return err
}
