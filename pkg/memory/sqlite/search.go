package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

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
	err := s.readSnapshot(ctx, "searching the session log", func(c *conn) error {
		index := textIndex{
			c:      c,
			newest: `SELECT rowid AS id FROM lines_text WHERE lines_text MATCH ? ORDER BY rowid DESC ` + limitParam,
			size:   `SELECT coalesce(max(id), 0) FROM lines`,
		}
		if query.Viewer != "" || query.Days != nil {
			condition, args := s.narrowLines(query)
			index.newest = `SELECT t.rowid AS id FROM lines_text t JOIN lines l ON l.id = t.rowid
				WHERE lines_text MATCH ?` + condition + ` ORDER BY t.rowid DESC ` + limitParam
			index.args = args
		}
		if query.Session != "" {
			var n int64
			err := c.row(ctx, `SELECT n FROM sessions WHERE id = ?`, []any{query.Session}, &n)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			index.scope = sessionWord(n)
		}
		ids, err := q.Shortlist(ctx, index, query.Limit)
		if err != nil {
			return err
		}
		if out, err = loadLines(ctx, c, ids); err == nil {
			out, err = hideLines(ctx, c, out, lineOf)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return rankLines(q, out, query.Limit), nil
}

// narrowLines returns the condition on the lines that a query may find, and its
// parameters.
func (s *SessionLog) narrowLines(q memory.LineQuery) (condition string, args []any) {
	if q.Viewer != "" {
		condition, args = ` AND `+visibleLine, append(args, s.viewerKeys(q.Viewer))
	}
	if q.Days != nil {
		condition, args = condition+` AND l.day BETWEEN ? AND ?`, append(args, q.Days.First, q.Days.Last)
	}
	return condition, args
}

// linesOfDays returns the newest lines of a query without a text.
func (s *SessionLog) linesOfDays(ctx context.Context, q memory.LineQuery) ([]memory.LineHit, error) {
	condition, args := s.narrowLines(q)
	if q.Session != "" {
		condition, args = condition+` AND s.id = ?`, append(args, q.Session)
	}
	var out []memory.LineHit
	err := s.read(ctx, "reading the lines of a day", func(c *conn) error {
		all, err := rows(ctx, c, `SELECT `+lineColumns+` FROM lines l JOIN sessions s ON s.n = l.session
			WHERE TRUE`+condition+` ORDER BY l.id DESC `+limitParam, append(args, q.Limit), scanLine)
		if err == nil {
			all, err = hideLines(ctx, c, all, sameLine)
		}
		for _, l := range all {
			out = append(out, memory.LineHit{Line: l})
		}
		return err
	})
	return out, err
}

// loadLines returns the lines with the given ids, without scores.
func loadLines(ctx context.Context, c *conn, ids []int64) ([]memory.LineHit, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return rows(ctx, c, `SELECT `+lineColumns+` FROM json_each(?) j
		CROSS JOIN lines l ON l.id = j.value JOIN sessions s ON s.n = l.session`, []any{string(list)},
		func(r *sql.Rows) (h memory.LineHit, err error) {
			h.Line, err = scanLine(r)
			return h, err
		})
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
