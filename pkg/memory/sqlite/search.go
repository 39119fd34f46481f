package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const defaultLimit = 10

// linesIndex searches the session log.
func linesIndex() textIndex {
	return textIndex{
		ranked:  `SELECT rowid, bm25(lines_text) FROM lines_text WHERE lines_text MATCH ? ORDER BY rowid DESC LIMIT ?`,
		counted: `SELECT count(*) FROM (SELECT rowid FROM lines_text WHERE lines_text MATCH ? ORDER BY rowid DESC LIMIT ?)`,
	}
}

// SearchLines finds lines by full text, best first: those with all words of
// the question, then those with some. Words compare without case and accents,
// longer ones match the beginnings of words, and words such as "the" count
// only if there are no others. Of very many matches the newest are ranked. An
// unknown session has no lines.
func (s *Store) SearchLines(ctx context.Context, q memory.LineQuery) ([]memory.LineHit, error) {
	ts := terms(q.Text)
	if len(ts) == 0 {
		return nil, nil
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	var out []memory.LineHit
	err := s.read(ctx, "searching the session log", func(c *conn) error {
		scope := ""
		if q.Session != "" {
			var n int64
			err := c.row(ctx, `SELECT n FROM sessions WHERE id = ?`, []any{q.Session}, &n)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			scope = sessionWord(n)
		}
		hits, err := linesIndex().search(ctx, c, ts, scope, q.Limit)
		if err != nil {
			return err
		}
		out, err = loadLines(ctx, c, hits)
		return err
	})
	return out, err
}

// loadLines returns the lines behind the hits, in the hits' order.
func loadLines(ctx context.Context, c *conn, hits []scored) ([]memory.LineHit, error) {
	ids, err := idList(hits)
	if err != nil {
		return nil, err
	}
	lines, err := rows(ctx, c, `SELECT `+lineColumns+` FROM json_each(?) j
		JOIN lines l ON l.id = j.value JOIN sessions s ON s.n = l.session ORDER BY j.key`, []any{ids}, scanLine)
	if err != nil {
		return nil, err
	}
	scores := scoreByID(hits)
	out := make([]memory.LineHit, len(lines))
	for i, l := range lines {
		out[i] = memory.LineHit{Line: l, Score: scores[l.ID]}
	}
	return out, nil
}

// idList encodes the ids as the JSON array that json_each takes.
func idList(hits []scored) (string, error) {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	b, err := json.Marshal(ids)
	return string(b), err
}

func scoreByID(hits []scored) map[int64]float64 {
	m := make(map[int64]float64, len(hits))
	for _, h := range hits {
		m[h.id] = h.score
	}
	return m
}
