package sqlite

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// deleteLines deletes the user's lines, session by session.
func (w *forgetWork) deleteLines(ctx context.Context) error {
	var sessions []int64
	err := w.s.read(ctx, "looking for a user's lines", func(c *conn) (err error) {
		sessions, err = sqlstore.Rows(ctx, c, `SELECT DISTINCT session FROM speakers WHERE user = ? ORDER BY session`, []any{w.f.user}, sqlstore.ScanID)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.deferDeletesIfMany(ctx); err != nil {
		return err
	}
	size := pace(firstStep)
	for _, session := range sessions {
		for from := int64(0); ; {
			var ids []int64
			err := w.s.read(ctx, "looking for a user's lines", func(c *conn) (err error) {
				ids, err = sqlstore.Rows(ctx, c, `SELECT id FROM lines WHERE session = ? AND id > ? AND id <= ? AND user = ? ORDER BY id LIMIT ?`,
					[]any{session, from, w.f.line, w.f.user, int(size)}, sqlstore.ScanID)
				return err
			})
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				break
			}
			from = ids[len(ids)-1]
			if err := w.step(ctx, &size, func(ctx context.Context, c *conn) error { return w.deleteSome(ctx, c, ids) }); err != nil {
				return err
			}
		}
	}
	// Keep the entries of sessions in which the user has spoken since.
	return w.s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.Exec(ctx, `DELETE FROM speakers WHERE user = ?1 AND NOT EXISTS
			(SELECT 1 FROM lines l WHERE l.session = speakers.session AND l.id > ?2 AND l.user = ?1 AND l.speaker = speakers.speaker)`, w.f.user, w.f.line)
		return err
	})
}

// deleteSome deletes some of the user's lines.
func (w *forgetWork) deleteSome(ctx context.Context, c *conn, ids []int64) error {
	n, err := sqlstore.DeleteLines(ctx, w.shared, c, `l.id IN (SELECT value FROM json_each($1))`, ids)
	w.f.deletedLines += n
	return err
}
