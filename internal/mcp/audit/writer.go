package audit

import (
	"context"
	"log/slog"
	"time"
)

const (
	// batchSize and batchTime bound how much work waits for one transaction.
	batchSize  = 256
	batchTime  = 50 * time.Millisecond
	purgeEvery = time.Hour
)

// writer is the goroutine that owns the file's writing side.
type writer struct {
	log       *Log
	db        *database
	arguments bool

	batch   []Record
	err     error // why the last batch could not be written
	purging bool  // old records may be left
}

// run serves the queue until it is closed and empty.
func (w *writer) run(ctx context.Context) {
	hourly := time.NewTicker(purgeEvery)
	defer hourly.Stop()
	now := make(chan struct{})
	close(now)
	for {
		var purge <-chan struct{}
		if w.purging {
			purge = now
		}
		select {
		case e, open := <-w.log.queue:
			if !open {
				return
			}
			w.collect(ctx, e)
		case <-hourly.C:
			w.purging = true
		case <-purge: // a piece at a time, so that records need not wait
			more, err := w.db.purge(ctx, time.Now().Add(-w.log.keep))
			if err != nil {
				w.log.logger.LogAttrs(ctx, slog.LevelWarn, "old audit records not deleted; trying again in an hour", slog.Any("error", err))
			}
			w.purging = more && err == nil
		}
	}
}

// collect writes e and what waits behind it, in one transaction.
func (w *writer) collect(ctx context.Context, e entry) {
	start := time.Now()
	w.take(ctx, e)
	for len(w.batch) < batchSize && time.Since(start) < batchTime {
		select {
		case e, open := <-w.log.queue:
			if !open {
				w.flush(ctx)
				return
			}
			w.take(ctx, e)
			continue
		default:
		}
		break
	}
	w.flush(ctx)
}

// take puts a record into the batch, or answers a flush.
func (w *writer) take(ctx context.Context, e entry) {
	if e.done != nil {
		w.flush(ctx)
		e.done <- w.err
		return
	}
	w.batch = append(w.batch, e.finish(w.arguments))
}

// flush writes the batch. A first failure may be a passing one and is tried
// again; after that, batches are tried once until one succeeds.
func (w *writer) flush(ctx context.Context) {
	if len(w.batch) == 0 {
		return
	}
	err := w.db.insert(ctx, w.batch)
	if err != nil && w.err == nil {
		err = w.db.insert(ctx, w.batch)
	}
	w.err = err
	w.log.stuck.Store(false)
	if err != nil {
		w.log.losses.add(int64(len(w.batch)), err)
	}
	clear(w.batch)
	w.batch = w.batch[:0]
}
