package sqlite

import (
	"context"
	"database/sql"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// ToldFacts returns at most limit facts that campaign files may have told, by id from
// the first after one; an id of 0 is before all. Facts made of lines and notes are none.
func (s *Index) ToldFacts(ctx context.Context, after int64, limit int) (out []memory.Fact, err error) {
	err = s.read(ctx, "reading facts", func(c *conn) error {
		out, err = rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, `+factAudience+` FROM facts f WHERE f.id > ?
			AND (f.source GLOB 'entity:*' OR f.source GLOB 'campaign:*') ORDER BY f.id `+limitParam, []any{after, limit},
			func(r *sql.Rows) (f memory.Fact, err error) {
				var at int64
				var visible string
				err = r.Scan(&f.ID, &f.Source, &f.Text, &at, &visible)
				f.At, f.Visible = pack.FromStamp(at), pack.VisibleList(visible)
				return f, err
			})
		return err
	})
	return out, err
}

// removedLines is how many lines of a session are deleted in one transaction.
const removedLines = 20

// RemoveSession deletes a session with its lines and the facts made of them, in steps
// that let other writers in between, and returns how many lines those were. What is
// deleted is overwritten in the file as by [SessionLog.Retract]. An unknown id is
// [memory.ErrNotFound].
func (s *SessionLog) RemoveSession(ctx context.Context, id string) (lines int, err error) {
	for {
		n := 0
		err := s.write(ctx, "removing a session", func(ctx context.Context, c *conn) (err error) {
			n, err = deleteLines(ctx, c, `l.id IN (SELECT id FROM lines WHERE session = (SELECT n FROM sessions WHERE id = ?) ORDER BY id LIMIT ?)`, id, removedLines)
			if err != nil || n > 0 {
				return err
			}
			res, err := c.exec(ctx, `DELETE FROM sessions WHERE id = ?`, id)
			if err != nil {
				return err
			}
			return needOne(res, "session", id)
		})
		if lines += n; err != nil || n == 0 {
			return lines, err
		}
	}
}
