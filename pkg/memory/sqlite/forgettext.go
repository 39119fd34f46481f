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
		return c.Row(ctx, `SELECT count(*) = ?2 FROM (SELECT 1 FROM (SELECT DISTINCT session FROM speakers WHERE user = ?1) s
			CROSS JOIN lines l ON l.session = s.session WHERE l.user = ?1 LIMIT ?2)`, []any{w.f.user, manyLines}, &many)
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
			if _, err := c.Exec(ctx, `INSERT INTO `+table+` (`+table+`, rank) VALUES ('secure-delete', ?)`, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropWords has the full text write its words anew without those of what was deleted,
// where it only noted that: all of its parts are merged into one, some pages at a time. What
// others take back meanwhile is overwritten at once, in whichever part it is: only noted,
// it would stay until there is something to merge again.
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
		if err := w.mergeWhole(ctx, table); err != nil {
			return fmt.Errorf("merging %s: %w", table, err)
		}
	}
	return nil
}

// fillers are the words of rows of the full text that no line or fact has, in turn: little, and
// several pages.
var fillers = func() [2]string {
	var many strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&many, "x%05d ", n*7919%100_000)
	}
	return [2]string{"x", many.String()}
}()

// mostFillers bounds the rows that a merge adds. With nobody writing meanwhile three do.
const mostFillers = 7

// errNotWhole says that a full text still has notes of what was deleted.
var errNotWhole = errors.New("others wrote too much meanwhile")

// mergeWhole merges all parts of a full-text table, so that none of it says of a word that
// it was deleted. Where all parts are on one level below others that are empty, merging keeps
// such notes; a part that is elsewhere has all of them be taken together. A part that is no
// larger than the next one is put beside it, so that what is merged is made larger than what
// comes then.
func (w *forgetWork) mergeWhole(ctx context.Context, table string) error {
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

// fill adds a filler or deletes it.
func (w *forgetWork) fill(ctx context.Context, statement string, n int) error {
	return w.s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.Exec(ctx, statement, -1-n, fillers[n%len(fillers)])
		return err
	})
}

// mergeAll merges all parts of a full-text table, and reports whether none of it can say of a
// word that it was deleted.
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

// endsInOnePart reports whether the last of the levels of a full text is the one part of it that
// was merged with nothing before it. See "The structure record" in the source of FTS5.
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
	next() // all parts
	next() // pages written
	parts := 0
	for range levels {
		next() // parts that are being merged
		parts = next()
		for range parts * each {
			next()
		}
	}
	return parts == 1 || levels == 0
}

// merge merges all parts of a full-text table.
func (w *forgetWork) merge(ctx context.Context, table string) error {
	size, sign := pace(firstStep), -1 // negative: from the beginning
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

// cleanFile overwrites copies in the file.
func (w *forgetWork) cleanFile(ctx context.Context) error { return w.s.scour(ctx) }
