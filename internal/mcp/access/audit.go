package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// Errors of the audit log; test with errors.Is.
var (
	// ErrClosed means the log is closed.
	ErrClosed = errors.New("audit log is closed")
	// ErrForeign means the file is not an audit log, or was written by a newer Glyphoxa.
	ErrForeign = errors.New("file is no audit log of this Glyphoxa")
	// ErrStuck means the disk no longer accepts records.
	ErrStuck = errors.New("audit log cannot keep up")
)

const (
	// defaultKeep is the default for how long records are kept.
	defaultKeep = 90 * 24 * time.Hour
	// queueSize bounds the records waiting for the writer.
	queueSize = 4096
	// maxHold bounds how long a full queue blocks a caller. It is longer than the writer waits for a locked
	// file, so that records are lost only if the disk fails.
	maxHold = 3 * busyTimeout
)

// LogOptions configures a [Log]. The zero value works.
type LogOptions struct {
	// Arguments keeps the arguments of calls in addition to their hash.
	Arguments bool
	// Keep is how long records are kept. If zero, 90 days.
	Keep time.Duration
	// MaxSize bounds the file, in bytes; the oldest records are deleted first. If zero, 1 GiB.
	MaxSize int64
	// Logger receives messages about records that could not be written. If nil, they are discarded.
	Logger *slog.Logger
}

// Log is the audit log. It is safe for concurrent use.
type Log struct {
	db      *database
	keepFor time.Duration
	logger  *slog.Logger
	full    bool // arguments are kept
	losses  losses
	// maxSize bounds the file, in bytes; size is its last known size.
	maxSize int64
	size    atomic.Int64

	// mu is read-locked while sending to the queue, and locked to close it.
	mu     sync.RWMutex
	closed bool
	queue  chan *entry

	urge      chan struct{} // tells the writer not to wait for more records
	stuck     atomic.Bool   // the queue was full for maxHold and has not moved since
	done      chan struct{}
	closeOnce sync.Once
	closeErr  error // result of closeOnce
}

// entry is one item for the writer: a record, or a flush if done is set.
type entry struct {
	record LogRecord
	args   string
	hashed bool // the record already has its hash
	done   chan<- error
}

// OpenLog opens the log at path. If necessary, it creates the file and its directory, both private to the
// user. Until [Log.Close], it deletes records older than LogOptions.Keep in the background, at once and then
// every hour, and the oldest records whenever the file exceeds LogOptions.MaxSize. Queries never return
// expired records.
func OpenLog(ctx context.Context, path string, opts LogOptions) (*Log, error) {
	if path == "" {
		return nil, errors.New("opening audit log: no path given")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening audit log %s: %w", path, err)
	}
	if opts.Keep <= 0 {
		opts.Keep = defaultKeep
	}
	if opts.MaxSize <= 0 {
		opts.MaxSize = defaultMaxSize
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	db, err := openDatabase(ctx, abs)
	if err != nil {
		return nil, fmt.Errorf("opening audit log %s: %w", abs, err)
	}
	l := &Log{
		full:    opts.Arguments,
		db:      db,
		keepFor: opts.Keep,
		logger:  opts.Logger,
		losses:  losses{log: opts.Logger},
		maxSize: opts.MaxSize,
		queue:   make(chan *entry, queueSize),
		urge:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	e, err := db.measure(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening audit log %s: %w", abs, err), db.close())
	}
	l.size.Store(e.file)
	w := &writer{log: l, db: db, arguments: opts.Arguments, batch: make([]LogRecord, 0, batchSize), purging: true, full: true}
	go func() {
		defer close(l.done)
		w.writeBatches(context.WithoutCancel(ctx))
	}()
	return l, nil
}

// Add records a call that was made with args, which is JSON text. The record is in the file within 50 ms. Add
// returns at once unless 4,096 records are waiting to be written. It then blocks until there is room, for at
// most 15 seconds if the disk has failed. Records lost after that, and records added after Close, are counted
// and logged. A zero r.At means now; the log sets r.ID, r.Args, r.ArgsHash and r.Times.
//
// Of the calls of one caller that were refused, the first 30 per minute get a record each. The others are
// merged, into at most ten kinds per caller, and are written when the minute is over or at the next query.
func (l *Log) Add(r LogRecord, args string) {
	if r.At.IsZero() {
		r.At = time.Now()
	}
	r.Times = 0
	r.bound()
	e := &entry{record: r, args: args, hashed: !r.isCall()}
	if len(args) > maxQueued {
		e.hash(len(args))
	}
	if err := l.queueRecord(e); err != nil {
		l.losses.addLost(1, err)
	}
}

func (l *Log) queueRecord(e *entry) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return ErrClosed
	}
	select {
	case l.queue <- e:
		if len(l.queue) >= batchSize {
			l.hurry()
		}
		return nil
	default:
	}
	if l.stuck.Load() {
		return ErrStuck
	}
	late := time.NewTimer(maxHold)
	defer late.Stop()
	select {
	case l.queue <- e:
		return nil
	case <-late.C:
		l.stuck.Store(true)
		return ErrStuck
	}
}

// Flush waits until everything added before has been written, or until ctx ends. It returns an error if the
// latest records could not be written.
func (l *Log) Flush(ctx context.Context) error {
	done := make(chan error, 1)
	if err := l.sendFlush(ctx, done); err != nil {
		return fmt.Errorf("flushing audit log: %w", err)
	}
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("flushing audit log: %w", err)
	}
	return nil
}

func (l *Log) sendFlush(ctx context.Context, done chan<- error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return ErrClosed
	}
	select {
	case l.queue <- &entry{done: done}:
		l.hurry()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hurry makes the writer write the batch at once.
func (l *Log) hurry() {
	wakeup.Signal(l.urge)
}

// Queued returns the number of records waiting to be written.
func (l *Log) Queued() int { return len(l.queue) }

// Lost returns the number of records lost since the log was opened.
func (l *Log) Lost() int64 { return l.losses.countLost() }

// Close writes all pending records, waits for the writer and closes the file. Records added later are lost.
// Closing again does nothing.
func (l *Log) Close() error {
	l.closeOnce.Do(func() {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
		close(l.queue) // nothing is sent once closed is set
		l.hurry()
		<-l.done
		l.losses.reportLost()
		if err := l.db.close(); err != nil {
			l.closeErr = fmt.Errorf("closing audit log: %w", err)
		}
	})
	return l.closeErr
}

// StoresArguments reports whether arguments are kept in addition to their hash.
func (l *Log) StoresArguments() bool { return l.full }
