package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// ToldFacts returns at most limit facts that campaign files may have told, by id from
// the first after one; an id of 0 is before all. Facts made of lines and notes are none.
func (s *Index) ToldFacts(ctx context.Context, after int64, limit int) (out []memory.Fact, err error) {
	err = s.read(ctx, "reading facts", func(c conn) error {
		out, err = rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, `+audienceIn("f")+` FROM facts f WHERE f.id > $1
			AND (starts_with(f.source, 'entity:') OR starts_with(f.source, 'campaign:')) ORDER BY f.id LIMIT $2`, []any{after, max(0, limit)},
			func(r pgx.Rows) (f memory.Fact, err error) {
				var at int64
				var visible string
				err = r.Scan(&f.ID, &f.Source, &f.Text, &at, &visible)
				f.Source, f.Text, f.At, f.Visible = restored(f.Source), restored(f.Text), pack.FromStamp(at), listed(visible)
				return f, err
			})
		return err
	})
	return out, err
}

// removedLines is how many lines of a session are deleted in one transaction.
const removedLines = 200

// RemoveSession deletes a session with its lines and the facts made of them, in steps
// that let other writers in between, and returns how many lines those were. An unknown id is
// [memory.ErrNotFound].
func (s *SessionLog) RemoveSession(ctx context.Context, id string) (lines int, err error) {
	defer s.mind.Forget()
	for {
		n := 0
		err := s.write(ctx, "removing a session", func(ctx context.Context, c conn) (err error) {
			n, err = deleteLines(ctx, c, `l.id IN (SELECT id FROM lines WHERE session = (SELECT n FROM sessions WHERE id = $1) ORDER BY id LIMIT $2)`, keepable(id), removedLines)
			if err != nil || n > 0 {
				return err
			}
			gone, err := exec(ctx, c, `DELETE FROM sessions WHERE id = $1`, keepable(id))
			if err == nil && gone == 0 {
				err = fmt.Errorf("session %q: %w", id, memory.ErrNotFound)
			}
			return err
		})
		if lines += n; err != nil || n == 0 {
			return lines, err
		}
	}
}
