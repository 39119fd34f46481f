package access

import (
	"context"
	"log/slog"
	"time"
)

const (
	// batchSize is the maximum number of records in a transaction.
	batchSize = 256
	// linger is how long a record waits for others. Most records then share a transaction, and their callers
	// need not wake the writer.
	linger     = 50 * time.Millisecond
	purgeEvery = time.Hour
)

// writer is the goroutine that writes to the file.
type writer struct {
	log       *Log
	db        *database
	arguments bool

	batch   []LogRecord
	err     error // why the last batch could not be written
	purging bool  // there may be expired records left
	full    bool  // there may be too many records
	added   int   // records written since the size was last checked
	warned  time.Time
	merger  merger
}

// writeBatches serves the queue until it is closed and empty.
func (w *writer) writeBatches(ctx context.Context) {
	hourly := time.NewTicker(purgeEvery)
	defer hourly.Stop()
	now := make(chan struct{})
	close(now)
	window := time.NewTicker(mergeWindow)
	defer window.Stop()
	for {
		var purge <-chan struct{}
		if w.purging || w.full {
			purge = now
		}
		select {
		case e, open := <-w.log.queue:
			if !open {
				w.writeMerged(ctx)
				return
			}
			w.queueEntry(ctx, e)
			w.awaitEnd()
			w.drain(ctx)
			if w.full { // so that a caller without pauses cannot outrun deletion
				w.purge(ctx)
			}
		case <-window.C:
			w.merger.endWindow()
			w.writeMerged(ctx)
		case <-hourly.C:
			w.purging, w.full = true, true
		case <-purge: // one step at a time, so that records need not wait
			w.purge(ctx)
		}
	}
}

// awaitEnd waits for more records, unless the batch is empty, until linger is over or hurry is called.
func (w *writer) awaitEnd() {
	if len(w.batch) == 0 {
		return
	}
	enough := time.NewTimer(linger)
	defer enough.Stop()
	select {
	case <-enough.C:
	case <-w.log.urge:
	}
}

// drain writes the queued records, but at most queueSize of them, so that purging gets its turn.
func (w *writer) drain(ctx context.Context) {
	for range queueSize {
		select {
		case e, open := <-w.log.queue:
			if open {
				w.queueEntry(ctx, e)
				continue
			}
		default:
		}
		break
	}
	w.flush(ctx)
}

// purge deletes some expired records or, if there are none, some of those that are too many.
func (w *writer) purge(ctx context.Context) {
	var err error
	if w.purging {
		w.purging, err = w.db.purge(ctx, time.Now().Add(-w.log.keepFor))
	} else {
		w.full, err = w.limitSize(ctx)
	}
	if err != nil {
		w.purging, w.full = false, false
		w.log.logger.LogAttrs(ctx, slog.LevelWarn, "old audit records not deleted; trying again in an hour", slog.Any("error", err))
	}
}

// writeMerged writes the refusals merged so far.
func (w *writer) writeMerged(ctx context.Context) {
	for _, r := range w.merger.drain() {
		r.clean()
		r.At = r.At.UTC().Truncate(time.Microsecond)
		w.addToBatch(ctx, *r)
	}
	w.flush(ctx)
}

// queueEntry adds a record to the batch, or answers a flush.
func (w *writer) queueEntry(ctx context.Context, e *entry) {
	if e.done != nil {
		w.writeMerged(ctx)
		e.done <- w.err
		return
	}
	if w.merger.mergeRecord(&e.record) {
		return
	}
	w.addToBatch(ctx, e.toRecord(w.arguments))
}

func (w *writer) addToBatch(ctx context.Context, r LogRecord) {
	w.batch = append(w.batch, r)
	if len(w.batch) == batchSize {
		w.flush(ctx)
	}
}

// flush writes the batch. It retries the first failure once, because that may be temporary. After a failure,
// it tries each batch only once until one succeeds.
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
		w.log.losses.addLost(int64(len(w.batch)), err)
	} else if w.added += len(w.batch); w.added >= batchSize {
		w.added, w.full = 0, true
	}
	clear(w.batch)
	w.batch = w.batch[:0]
}
