package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/fulltext"
)

const defaultLimit = 10

// SearchLines finds lines by full text, best first by BM25. Words compare
// without case and accents; if a word is rare, those that share its stem
// match, too; words such as "the" count only if there are no others. Of very
// many lines with a word the newest that the viewer may know of are looked at. An unknown session has no
// lines.
func (s *SessionLog) SearchLines(ctx context.Context, query memory.LineQuery) ([]memory.LineHit, error) {
	if query.Limit <= 0 {
		query.Limit = defaultLimit
	}
	if query.Days != nil && strings.TrimSpace(query.Text) == "" {
		return s.linesOfDays(ctx, query)
	}
	q := fulltext.Parse(query.Text)
	if len(q) == 0 {
		return nil, nil
	}
	var out []memory.LineHit
	err := s.read(ctx, "searching the session log", func(c conn) error {
		index := textIndex{c: c, table: "line_words", column: "line", size: `SELECT coalesce(max(id), 0) FROM lines`}
		if condition, args := s.narrowLines(query, 0); condition != "" {
			index.scope, index.args = `(SELECT true FROM lines l WHERE l.id = w.line`+condition+`)`, args
		}
		if query.Session != "" {
			var n int64
			err := row(ctx, c, `SELECT n FROM sessions WHERE id = $1`, []any{keepable(query.Session)}, &n)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			// The lines of a session lie close together, so that little else is looked at.
			index.args = append(index.args, n)
			index.within = fmt.Sprintf(`w.session = $%d AND w.line BETWEEN (SELECT min(id) FROM lines WHERE session = $%[1]d) AND (SELECT max(id) FROM lines WHERE session = $%[1]d)`, len(index.args))
		}
		ids, err := q.Shortlist(ctx, index, query.Limit)
		if err != nil {
			return err
		}
		out, err = rows(ctx, c, `SELECT `+lineColumns+` FROM unnest($1::bigint[]) WITH ORDINALITY j (id, place)
			JOIN lines l ON l.id = j.id JOIN sessions s ON s.n = l.session ORDER BY j.place`, []any{ids}, lineHit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rankLines(q, out, query.Limit), nil
}

// narrowLines returns the condition on the lines that a query may find, and its
// parameters, which follow the first so many.
func (s *SessionLog) narrowLines(q memory.LineQuery, after int) (condition string, args []any) {
	if q.Viewer != "" {
		args = append(args, s.viewerKeys(q.Viewer))
		condition = ` AND ` + heardBy("l", fmt.Sprintf("$%d", after+len(args)))
	}
	if q.Days != nil {
		args = append(args, q.Days.First, q.Days.Last)
		condition += fmt.Sprintf(` AND l.day BETWEEN $%d AND $%d`, after+len(args)-1, after+len(args))
	}
	return condition, args
}

// linesOfDays returns the newest lines of a query without a text.
func (s *SessionLog) linesOfDays(ctx context.Context, q memory.LineQuery) (out []memory.LineHit, err error) {
	condition, args := s.narrowLines(q, 2)
	err = s.read(ctx, "reading the lines of a day", func(c conn) (err error) {
		out, err = rows(ctx, c, `SELECT `+lineColumns+` FROM lines l JOIN sessions s ON s.n = l.session
			WHERE ($1 = '' OR s.id = $1)`+condition+` ORDER BY l.id DESC LIMIT $2`, append([]any{keepable(q.Session), q.Limit}, args...), lineHit)
		return err
	})
	return out, err
}

func lineHit(r pgx.Rows) (h memory.LineHit, err error) {
	h.Line, err = scanLine(r)
	return h, err
}

// rankLines scores the lines and returns the best.
func rankLines(q fulltext.Question, hits []memory.LineHit, limit int) []memory.LineHit {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	for i, score := range q.Score(texts) {
		hits[i].Score = score
	}
	slices.SortFunc(hits, func(a, b memory.LineHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
	})
	return hits[:min(len(hits), limit)]
}
