package sqlite

import (
	"context"
	"fmt"
)

// textTables are the full-text tables.
var textTables = []string{"lines_text", "facts_text"}

const (
	// manyLines is from how many lines on the full text only notes what is deleted and is
	// merged then: to look up every word of a line in it takes about a millisecond.
	manyLines = 500
	// littleMerged is how many changes a step of merging makes at most that found
	// nothing left to merge but what others have written meanwhile.
	littleMerged = 8
)

// noteDeletedIfMany has the full text only note what is deleted, if that will be much.
// The setting is in the file, and so survives the end of the process.
func (w *forgetWork) noteDeletedIfMany(ctx context.Context) error {
	many := false
	err := w.s.read(ctx, "looking for a user's lines", func(c *conn) error {
		return c.row(ctx, `SELECT count(*) = ?2 FROM (SELECT 1 FROM (SELECT DISTINCT session FROM speakers WHERE user = ?1) s
			CROSS JOIN lines l ON l.session = s.session WHERE l.user = ?1 LIMIT ?2)`, []any{w.f.User, manyLines}, &many)
	})
	if err != nil || !many {
		return err
	}
	return w.overwriteWords(ctx, false)
}

// overwriteWords sets whether the full text overwrites the words of what is deleted.
func (w *forgetWork) overwriteWords(ctx context.Context, at bool) error {
	return w.s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		for _, table := range textTables {
			if _, err := c.exec(ctx, `INSERT INTO `+table+` (`+table+`, rank) VALUES ('secure-delete', ?)`, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropWords has the full text write its words anew without those of what was deleted,
// where it only noted that: all of its parts are merged into one, some pages at a time.
func (w *forgetWork) dropWords(ctx context.Context) error {
	for _, table := range textTables {
		overwrites := false
		err := w.s.read(ctx, "looking at the full text", func(c *conn) error {
			return c.row(ctx, `SELECT coalesce((SELECT v FROM `+table+`_config WHERE k = 'secure-delete'), 0) = 1`, nil, &overwrites)
		})
		if err != nil {
			return err
		}
		if overwrites {
			continue
		}
		if err := w.merge(ctx, table); err != nil {
			return fmt.Errorf("merging %s: %w", table, err)
		}
	}
	return w.overwriteWords(ctx, true)
}

// merge merges all parts of a full-text table.
func (w *forgetWork) merge(ctx context.Context, table string) error {
	size, sign := pace(firstStep), -1 // negative: from the beginning
	for {
		changed := 0
		err := w.step(ctx, &size, func(ctx context.Context, c *conn) error {
			var before, after int
			if err := c.row(ctx, `SELECT total_changes()`, nil, &before); err != nil {
				return err
			}
			if _, err := c.exec(ctx, `INSERT INTO `+table+` (`+table+`, rank) VALUES ('merge', ?)`, sign*max(littleMerged, int(size))); err != nil {
				return err
			}
			if err := c.row(ctx, `SELECT total_changes()`, nil, &after); err != nil {
				return err
			}
			changed = after - before
			return nil
		})
		if err != nil || changed < littleMerged {
			return err
		}
		sign = 1
	}
}

// cleanFile overwrites copies in the file.
func (w *forgetWork) cleanFile(ctx context.Context) error { return w.s.scour(ctx) }
