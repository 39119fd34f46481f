package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// Hidden reports the lines of users who are being forgotten, so that readers already see the log as it will
// be afterwards.
func (d *dialect) Hidden(ctx context.Context, c sqlstore.Conn) (func(memory.Line) bool, error) {
	users, err := forgettings(ctx, c)
	if err != nil || len(users) == 0 {
		return nil, err
	}
	return func(l memory.Line) bool {
		return slices.ContainsFunc(users, func(f forgetting) bool { return l.User == f.user && l.ID <= f.line })
	}, nil
}

// madeByHidden selects whether a fact of a session is produced by lines of users who are being forgotten, and
// by no other line. Another player may have the same name and say the same.
const madeByHidden = `WITH made AS (
		SELECT EXISTS (SELECT 1 FROM forgetting f WHERE f.user = l.user AND l.id <= f.line) AS hidden
		FROM sessions s CROSS JOIN lines l ON l.session = s.n AND ` + madeOf + `
		WHERE s.id = $1
	) SELECT count(*) > 0 AND min(hidden) FROM made`

// HideFacts removes facts made from lines of users who are being forgotten.
func (d *dialect) HideFacts(ctx context.Context, c sqlstore.Conn, all []memory.FactHit) ([]memory.FactHit, error) {
	users, err := forgettings(ctx, c)
	if err != nil || len(users) == 0 {
		return all, err
	}
	out := all[:0]
	for _, f := range all {
		hidden := false
		if session, is := strings.CutPrefix(f.Source, "session:"); is {
			if err := c.Row(ctx, madeByHidden, []any{session, f.Text}, &hidden); err != nil {
				return nil, err
			}
		}
		if !hidden {
			out = append(out, f)
		}
	}
	return out, nil
}
