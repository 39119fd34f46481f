package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// defaultMaxSize is how large the file may grow unless somebody says otherwise.
const defaultMaxSize = 1 << 30

// shrinkPages is how many pages one step gives back to the disk.
const shrinkPages = 500

// purgeOldest deletes the records with the lowest ids.
const purgeOldest = `DELETE FROM calls WHERE id IN (SELECT id FROM calls ORDER BY id LIMIT ?)`

// countRecords is about how many there are: ids are given one after the other.
const countRecords = `SELECT coalesce((SELECT max(id) FROM calls) - (SELECT min(id) FROM calls), 0) + 1`

// oldestAtOnce is how many records one piece deletes: more than are written between
// two pieces.
const oldestAtOnce = queueSize + purgeSize

// fewestAtOnce is how many at least, so that not every record costs a piece.
const fewestAtOnce = 100

// extent is how large the file is, in bytes.
type extent struct {
	file int64
	// used is what of it holds records; the rest takes new ones.
	used int64
}

// Size is how large the file is and how large it may become, in bytes. What SQLite has
// yet to move into it, some MB beside it, is in neither.
func (l *Log) Size() (bytes, most int64) { return l.size.Load(), l.maxSize }

func (d *database) measure(ctx context.Context) (e extent, err error) {
	var pages, free, page int64
	err = d.writer.QueryRowContext(ctx, `SELECT page_count, freelist_count, page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &free, &page)
	return extent{file: pages * page, used: (pages - free) * page}, err
}

// deleteOldest deletes so many of the oldest records that about excess bytes of used
// become free, some at least and [oldestAtOnce] at most, and returns how many.
func (d *database) deleteOldest(ctx context.Context, excess, used int64) (n int64, err error) {
	err = d.transact(ctx, func(tx *sql.Tx) error {
		var records int64
		if err := tx.QueryRowContext(ctx, countRecords).Scan(&records); err != nil {
			return err
		}
		share := float64(excess) / float64(used)
		result, err := tx.ExecContext(ctx, purgeOldest, min(int64(share*float64(records))+fewestAtOnce, oldestAtOnce))
		if err == nil {
			n, err = result.RowsAffected()
		}
		return err
	})
	return n, err
}

// shrink gives some unused pages back to the disk. A file that was made by a version
// without a bound keeps its size, whose room new records take, until it is written anew.
func (d *database) shrink(ctx context.Context) error {
	rows, err := d.writer.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", shrinkPages))
	if err != nil {
		return err
	}
	for rows.Next() { // a page each
	}
	return errors.Join(rows.Err(), rows.Close())
}

// keepSize does one piece of what keeps the file within its size, and reports whether
// more is to be done: the oldest records go, and what they took is given back if the
// file is too large.
func (w *writer) keepSize(ctx context.Context) (more bool, err error) {
	e, err := w.db.measure(ctx)
	if err != nil {
		return false, err
	}
	w.log.size.Store(e.file)
	switch {
	case e.used > w.log.maxSize:
		w.warnFull(ctx)
		n, err := w.db.deleteOldest(ctx, e.used-w.log.maxSize, e.used)
		return n > 0, err
	case e.file > w.log.maxSize:
		if err := w.db.shrink(ctx); err != nil {
			return false, err
		}
		after, err := w.db.measure(ctx)
		w.log.size.Store(after.file)
		return after.file < e.file, err
	}
	return false, nil
}

// warnFull says once an hour that records go before their time.
func (w *writer) warnFull(ctx context.Context) {
	if now := time.Now(); w.warned.IsZero() || now.Sub(w.warned) >= purgeEvery {
		w.warned = now
		w.log.logger.LogAttrs(ctx, slog.LevelWarn, "the audit log has reached its size; its oldest records go", slog.Int64("max_bytes", w.log.maxSize))
	}
}
