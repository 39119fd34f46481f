package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const defaultLimit = 10

// SearchLines finds lines by full text, best first by BM25. Words are compared without case and accents. For
// a rare word, words with the same stem match as well. Words such as "the" count only if there are no others.
// If very many lines contain a word, only the newest that the viewer may know of are looked at. An unknown
// session has no lines.
func (s *Store) SearchLines(ctx context.Context, query memory.LineQuery) (out []memory.LineHit, err error) {
	if query.Limit <= 0 {
		query.Limit = defaultLimit
	}
	if query.Days != nil && strings.TrimSpace(query.Text) == "" {
		return s.linesOfDays(ctx, query)
	}
	q := parseFullText(query.Text)
	if len(q) == 0 {
		return nil, nil
	}
	filter := LineFilter{Days: query.Days}
	if query.Viewer != "" {
		filter.Keys = s.viewerKeys(query.Viewer)
	}
	err = s.d.ReadSnapshot(ctx, "searching the session log", func(c Conn) (err error) {
		out = nil
		if query.Session != "" {
			if filter.Session, err = findSession(ctx, c, query.Session); err != nil || filter.Session == 0 {
				return err
			}
		}
		ids, err := q.Shortlist(ctx, s.d.FindLines(c, filter), query.Limit)
		if err != nil {
			return err
		}
		out, err = s.loadLines(ctx, c, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rankLines(q, out, query.Limit), nil
}

// NarrowLines returns a condition on lines l for the viewer and the days of a filter. It begins with AND or
// is empty. Its parameters are appended to args.
func NarrowLines(d Syntax, f LineFilter, args []any) (condition string, all []any) {
	if f.Keys != nil {
		args = append(args, f.Keys)
		condition = ` AND ` + d.Heard("l", fmt.Sprintf("$%d", len(args)))
	}
	if f.Days != nil {
		args = append(args, f.Days.First, f.Days.Last)
		condition += fmt.Sprintf(` AND l.day BETWEEN $%d AND $%d`, len(args)-1, len(args))
	}
	return condition, args
}

// linesOfDays returns the newest lines for a query without text.
func (s *Store) linesOfDays(ctx context.Context, q memory.LineQuery) (out []memory.LineHit, err error) {
	filter := LineFilter{Days: q.Days}
	if q.Viewer != "" {
		filter.Keys = s.viewerKeys(q.Viewer)
	}
	condition, args := NarrowLines(s.syntax, filter, []any{q.Limit})
	if q.Session != "" {
		args = append(args, q.Session)
		condition += fmt.Sprintf(` AND s.id = $%d`, len(args))
	}
	err = s.d.Read(ctx, "reading the lines of a day", func(c Conn) error {
		all, err := s.selectLines(ctx, c, `SELECT `+s.sql.lineColumns+` FROM lines l JOIN sessions s ON s.n = l.session
			WHERE TRUE`+condition+` ORDER BY l.id DESC LIMIT $1`, args)
		out = hits(all)
		return err
	})
	return out, err
}

// rankLines scores the lines and returns the best.
func rankLines(q FullTextQuery, hits []memory.LineHit, limit int) []memory.LineHit {
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
