package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// hideLines leaves out of lines those of users who are being forgotten right now, so that
// readers see the log as it will be afterwards.
func hideLines[T any](ctx context.Context, c *conn, all []T, line func(*T) *memory.Line) ([]T, error) {
	users, err := c.forgettings(ctx)
	if err != nil || len(users) == 0 {
		return all, err
	}
	return slices.DeleteFunc(all, func(item T) bool {
		l := line(&item)
		return slices.ContainsFunc(users, func(f forgetting) bool { return l.User == f.user && l.ID <= f.line })
	}), nil
}

func sameLine(l *memory.Line) *memory.Line  { return l }
func lineOf(h *memory.LineHit) *memory.Line { return &h.Line }

// madeByHidden says whether a fact of a session is made by lines of users who are being
// forgotten, and by no other line. Another player may have the same name and say the same.
const madeByHidden = `WITH made AS (
		SELECT EXISTS (SELECT 1 FROM forgetting f WHERE f.user = l.user AND l.id <= f.line) AS hidden
		FROM sessions s CROSS JOIN lines l ON l.session = s.n AND length(CAST(l.speaker AS BLOB)) + length(CAST(l.text AS BLOB)) = length(CAST(?2 AS BLOB)) - 2
			AND substr(l.speaker || ': ' || l.text, -8) = substr(?2, -8) AND l.speaker || ': ' || l.text = ?2
		WHERE s.id = ?1
	) SELECT count(*) > 0 AND min(hidden) FROM made`

// hideFacts leaves out of facts those made of lines of users who are being forgotten right now.
func hideFacts(ctx context.Context, c *conn, all []memory.FactHit) ([]memory.FactHit, error) {
	users, err := c.forgettings(ctx)
	if err != nil || len(users) == 0 {
		return all, err
	}
	out := all[:0]
	for _, f := range all {
		hidden := false
		if session, is := strings.CutPrefix(f.Source, "session:"); is {
			if err := c.row(ctx, madeByHidden, []any{session, f.Text}, &hidden); err != nil {
				return nil, err
			}
		}
		if !hidden {
			out = append(out, f)
		}
	}
	return out, nil
}
