package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// recordChanges records a batch's changes. A change that reverts another is noted there. If it reverts a
// reversal, the first change is in effect again.
func recordChanges(ctx context.Context, c Conn, all []memory.WorldChange) error {
	for _, w := range all {
		if _, err := c.Exec(ctx, `INSERT INTO world_changes (seq, at, who, cause, data, undoes, undone) VALUES ($1, $2, $3, $4, $5, $6, 0)`,
			int64(w.Seq), w.At.UnixMicro(), w.Who, w.Cause, w.Data, int64(w.Undoes)); err != nil {
			return fmt.Errorf("recording change %d: %w", w.Seq, err)
		}
		if w.Undoes == 0 {
			continue
		}
		if _, err := c.Exec(ctx, `UPDATE world_changes SET undone = CASE WHEN seq = $1 THEN CAST($2 AS bigint) ELSE 0 END WHERE seq = $1 OR undone = $1`,
			int64(w.Undoes), int64(w.Seq)); err != nil {
			return fmt.Errorf("recording change %d: %w", w.Seq, err)
		}
	}
	if n := len(all); n > 0 {
		_, err := c.Exec(ctx, `DELETE FROM world_changes WHERE seq <= $1`, int64(all[n-1].Seq)-memory.MaxWorldChanges)
		return err
	}
	return nil
}

func worldChangeRow(r Row) (w memory.WorldChange, err error) {
	var at int64
	err = r.Scan(&w.Seq, &at, &w.Who, &w.Cause, &w.Data, &w.Undoes, &w.Undone)
	w.At = time.UnixMicro(at)
	return w, err
}

// WorldChanges returns up to most of the latest changes of the world, newest first.
func (s *Store) WorldChanges(ctx context.Context, most int) (all []memory.WorldChange, err error) {
	err = s.d.Read(ctx, "reading what changed in the world", func(c Conn) (err error) {
		all, err = Rows(ctx, c, `SELECT `+worldChangeColumns+` FROM world_changes ORDER BY seq DESC LIMIT $1`, []any{most}, worldChangeRow)
		return err
	})
	return all, err
}

// WorldChange returns one change of the world, or [memory.ErrNotFound] if it is not kept.
func (s *Store) WorldChange(ctx context.Context, seq uint64) (w memory.WorldChange, err error) {
	err = s.d.Read(ctx, "reading a change of the world", func(c Conn) error {
		found, err := Rows(ctx, c, `SELECT `+worldChangeColumns+` FROM world_changes WHERE seq = $1`, []any{int64(seq)}, worldChangeRow)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return fmt.Errorf("change %d: %w", seq, memory.ErrNotFound)
		}
		w = found[0]
		return nil
	})
	return w, err
}

// forgottenUser replaces a user's id in records that have to stay.
const forgottenUser = "forgotten"

// forgetWorldChanger removes a user's id from the changes of the world.
func forgetWorldChanger(ctx context.Context, c Conn, user string) error {
	_, err := c.Exec(ctx, `UPDATE world_changes SET who = $1 WHERE who = $2`, forgottenUser, user)
	return err
}
