package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// defaultMaxSize is the default maximum size of the file, in bytes.
const defaultMaxSize = 1 << 30

// shrinkPages is how many pages one step returns to the disk.
const shrinkPages = 500

// purgeOldest deletes the records with the lowest ids.
const purgeOldest = `DELETE FROM calls WHERE id IN (SELECT id FROM calls ORDER BY id LIMIT ?)`

// countRecords estimates the number of records, because ids are consecutive.
const countRecords = `SELECT coalesce((SELECT max(id) FROM calls) - (SELECT min(id) FROM calls), 0) + 1`

// oldestAtOnce is how many records one step deletes at most. It exceeds the number written between two steps.
const oldestAtOnce = queueSize + purgeSize

// fewestAtOnce is how many records one step deletes at least, so that a step is not needed for every record.
const fewestAtOnce = 100

// extent is the size of the file, in bytes.
type extent struct {
	file int64
	// used is the part that holds records; the rest is free for new ones.
	used int64
}

// Size returns the current and the maximum size of the file, in bytes. Neither includes SQLite's write-ahead
// log, which adds a few MB.
func (l *Log) Size() (bytes, most int64) { return l.size.Load(), l.maxSize }

func (d *database) measure(ctx context.Context) (e extent, err error) {
	var pages, free, page int64
	err = d.writer.QueryRowContext(ctx, `SELECT page_count, freelist_count, page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &free, &page)
	return extent{file: pages * page, used: (pages - free) * page}, err
}

// deleteOldest deletes enough of the oldest records to free about excess of the used bytes, at least
// fewestAtOnce and at most [oldestAtOnce], and returns their number.
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

// shrink returns some unused pages to the disk. A file created by a version without a size bound does not
// shrink until it is rewritten, but new records use its free space.
func (d *database) shrink(ctx context.Context) error {
	rows, err := d.writer.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", shrinkPages))
	if err != nil {
		return err
	}
	for rows.Next() { // one row per page
	}
	return errors.Join(rows.Err(), rows.Close())
}

// limitSize does one step of keeping the file within its size, and reports whether more are needed. It deletes
// the oldest records, or returns free pages to the disk if the file is too large.
func (w *writer) limitSize(ctx context.Context) (more bool, err error) {
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

// warnFull logs, at most once an hour, that records are deleted before they expire.
func (w *writer) warnFull(ctx context.Context) {
	if now := time.Now(); w.warned.IsZero() || now.Sub(w.warned) >= purgeEvery {
		w.warned = now
		w.log.logger.LogAttrs(ctx, slog.LevelWarn, "the audit log has reached its size; its oldest records go", slog.Int64("max_bytes", w.log.maxSize))
	}
}
