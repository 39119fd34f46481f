package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// textTables are the full-text tables.
var textTables = []string{"lines_text", "facts_text"}

const (
	// manyLines is the number of lines from which the full-text index only marks words as deleted and is
	// merged afterwards, because finding every word of a line in it takes about a millisecond.
	manyLines = 500
	// littleMerged is the number of changes below which a merge step is taken to have found nothing left to
	// merge, apart from what others have written meanwhile.
	littleMerged = 8
)

// deferDeletesIfMany makes the full-text index only mark deleted words, if there will be many. The setting is
// stored in the file, so it survives the end of the process.
func (w *forgetWork) deferDeletesIfMany(ctx context.Context) error {
	many := false
	err := w.s.read(ctx, "looking for a user's lines", func(c *conn) error {
		return c.Row(ctx, `SELECT count(*) = ?2 FROM (SELECT 1 FROM (SELECT DISTINCT session FROM speakers WHERE user = ?1) s
			CROSS JOIN lines l ON l.session = s.session WHERE l.user = ?1 LIMIT ?2)`, []any{w.f.user, manyLines}, &many)
	})
	if err != nil || !many {
		return err
	}
	return w.overwriteWords(ctx, false)
}

// overwriteWords sets whether the full-text index overwrites deleted words at once.
func (w *forgetWork) overwriteWords(ctx context.Context, at bool) error {
	return w.s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		for _, table := range textTables {
			if _, err := c.Exec(ctx, `INSERT INTO `+table+` (`+table+`, rank) VALUES ('secure-delete', ?)`, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropWords rewrites full-text indexes that only marked words as deleted, so that these words are gone. All
// segments are merged into one, some pages at a time. Meanwhile, words that others delete are overwritten at
// once. If they were only marked, they would stay until the next merge.
func (w *forgetWork) dropWords(ctx context.Context) error {
	var noted []string
	for _, table := range textTables {
		overwrites := false
		err := w.s.read(ctx, "looking at the full text", func(c *conn) error {
			return c.Row(ctx, `SELECT coalesce((SELECT v FROM `+table+`_config WHERE k = 'secure-delete'), 0) = 1`, nil, &overwrites)
		})
		if err != nil {
			return err
		}
		if !overwrites || w.resumed {
			noted = append(noted, table)
		}
	}
	if err := w.overwriteWords(ctx, true); err != nil {
		return err
	}
	for _, table := range noted {
		if err := w.mergeCompletely(ctx, table); err != nil {
			return fmt.Errorf("merging %s: %w", table, err)
		}
	}
	return nil
}

// fillers are the words of temporary full-text rows that belong to no line or fact: alternately a tiny one
// and one of several pages.
var fillers = func() [2]string {
	var many strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&many, "x%05d ", n*7919%100_000)
	}
	return [2]string{"x", many.String()}
}()

// mostFillers limits the rows that a merge adds. Three are enough while no one else writes.
const mostFillers = 7

// errNotWhole means that a full-text index still has deletion marks.
var errNotWhole = errors.New("others wrote too much meanwhile")

// mergeCompletely merges all segments of a full-text index so that no deletion marks are left. FTS5 keeps the
// marks if all segments are on one level and higher levels exist but are empty. A segment on another level
// makes it merge everything. A segment that is no larger than the next one is put next to it, so the fillers
// ensure that the merged segment is larger than the next ones.
func (w *forgetWork) mergeCompletely(ctx context.Context, table string) error {
	whole, err := w.mergeAll(ctx, table)
	added := 0
	for err == nil && added < mostFillers && (!whole || added == 0 && w.resumed) {
		if err = w.fill(ctx, `INSERT INTO `+table+` (rowid, words) VALUES (?, ?)`, added); err == nil {
			added++
			whole, err = w.mergeAll(ctx, table)
		}
	}
	for n := range added {
		err = errors.Join(err, w.fill(ctx, `INSERT INTO `+table+` (`+table+`, rowid, words) VALUES ('delete', ?, ?)`, n))
	}
	if err == nil && !whole {
		err = errNotWhole
	}
	return err
}

// fill adds or deletes a filler.
func (w *forgetWork) fill(ctx context.Context, statement string, n int) error {
	return w.s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.Exec(ctx, statement, -1-n, fillers[n%len(fillers)])
		return err
	})
}

// mergeAll merges all segments of a full-text index, and reports whether no deletion marks can be left.
func (w *forgetWork) mergeAll(ctx context.Context, table string) (whole bool, err error) {
	if err := w.merge(ctx, table); err != nil {
		return false, err
	}
	err = w.s.read(ctx, "looking at the full text", func(c *conn) error {
		var structure []byte
		err := c.Row(ctx, `SELECT block FROM `+table+`_data WHERE id = 10`, nil, &structure)
		whole = endsInOnePart(structure)
		return err
	})
	return whole, err
}

// endsInOnePart reports whether the last level of a full-text index holds a single segment, the result of a
// merge with nothing older. See "The structure record" in the source of FTS5.
func endsInOnePart(structure []byte) bool {
	const cookie, withOrigins = 4, "\xff\x00\x00\x01"
	rest, each := structure[min(cookie, len(structure)):], 3
	if bytes.HasPrefix(rest, []byte(withOrigins)) {
		rest, each = rest[len(withOrigins):], 8
	}
	next := func() (n int) {
		for len(rest) > 0 {
			b := rest[0]
			rest = rest[1:]
			if n = n<<7 | int(b&0x7f); b < 0x80 {
				break
			}
		}
		return n
	}
	levels := next()
	next() // number of segments
	next() // write counter
	parts := 0
	for range levels {
		next() // segments being merged
		parts = next()
		for range parts * each {
			next()
		}
	}
	return parts == 1 || levels == 0
}

// merge merges all segments of a full-text index, in steps.
func (w *forgetWork) merge(ctx context.Context, table string) error {
	size, sign := pace(firstStep), -1 // negative: start a new merge
	for {
		changed := 0
		err := w.step(ctx, &size, func(ctx context.Context, c *conn) error {
			var before, after int
			if err := c.Row(ctx, `SELECT total_changes()`, nil, &before); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, `INSERT INTO `+table+` (`+table+`, rank) VALUES ('merge', ?)`, sign*max(littleMerged, int(size))); err != nil {
				return err
			}
			if err := c.Row(ctx, `SELECT total_changes()`, nil, &after); err != nil {
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

// cleanFile overwrites remaining copies in the file.
func (w *forgetWork) cleanFile(ctx context.Context) error { return w.s.scour(ctx) }
