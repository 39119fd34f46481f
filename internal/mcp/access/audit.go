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

// Errors a call can end in; test with errors.Is.
var (
	// ErrClosed means the log is closed.
	ErrClosed = errors.New("audit log is closed")
	// ErrForeign means the file is no audit log, or that of a newer Glyphoxa.
	ErrForeign = errors.New("file is no audit log of this Glyphoxa")
	// ErrStuck means the disk takes no more records.
	ErrStuck = errors.New("audit log cannot keep up")
)

const (
	// defaultKeep is how long records are kept unless somebody says otherwise.
	defaultKeep = 90 * 24 * time.Hour
	// queueSize bounds the records that wait for the writer.
	queueSize = 4096
	// maxHold bounds how long a full queue holds a caller. It is longer than the
	// writer waits for a locked file, so that only a dead disk loses records.
	maxHold = 3 * busyTimeout
)

// LogOptions tune a [Log]. The zero value works.
type LogOptions struct {
	// Arguments keeps the arguments of calls beside their hash.
	Arguments bool
	// Keep is how long records are kept. If zero, 90 days.
	Keep time.Duration
	// MaxSize is how large the file may become, in bytes; the oldest records go
	// first. If zero, 1 GiB.
	MaxSize int64
	// Logger is told of records that could not be written. If nil, nobody is.
	Logger *slog.Logger
}

// Log is the audit log. It is safe for concurrent use.
type Log struct {
	db     *database
	keep   time.Duration
	logger *slog.Logger
	full   bool // arguments are kept
	losses losses
	// maxSize is the most bytes of the file, and size how many it had last.
	maxSize int64
	size    atomic.Int64

	// mu is held for reading while something is sent to the queue, and for
	// writing to close it.
	mu     sync.RWMutex
	closed bool
	queue  chan *entry

	urge      chan struct{} // tells the writer not to wait for more
	stuck     atomic.Bool   // the queue was full for maxHold and has not moved since
	done      chan struct{}
	closeOnce sync.Once
	closeErr  error // what closeOnce found
}

// entry is one step of the writer: a record, or a flush if done is set.
type entry struct {
	record LogRecord
	args   string
	hashed bool // the record has its hash already
	done   chan<- error
}

// OpenLog opens the log at path and creates it, its directory included, if there
// is none; both are private to the user. In the background it deletes records older
// than Options.Keep, which no query finds, now and once an hour until [Log.Close], and
// the oldest ones whenever the file is larger than Options.MaxSize.
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
		keep:    opts.Keep,
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

// Add records a call that was made with args, which is JSON text; within 50 ms
// the record is in the file. It returns at once unless 4,096 records wait to be
// written; then it waits for its turn, for a dead disk up to 15 seconds. Records that are lost all the same, and those
// added after Close, are counted and logged. A zero r.At means now; r.ID,
// r.Args, r.ArgsHash and r.Times are set by the log.
//
// Of the calls of one caller that were not let through, the first 30 of a minute have a
// record each. The rest are merged, up to ten kinds for each caller, and are in the file
// when the minute is over, or at the next query.
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

// Flush waits until everything added before is written, or ctx is done. It
// returns why the latest records could not be written if they could not.
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

// hurry makes the writer write what there is.
func (l *Log) hurry() {
	wakeup.Signal(l.urge)
}

// Queued is how many records wait to be written.
func (l *Log) Queued() int { return len(l.queue) }

// Lost is how many records could not be kept since the log was opened.
func (l *Log) Lost() int64 { return l.losses.countLost() }

// Close writes what was added, waits for the writer and closes the file. Later
// calls of Add lose their record; closing again does nothing more.
func (l *Log) Close() error {
	l.closeOnce.Do(func() {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
		close(l.queue) // nobody sends once closed is set
		l.hurry()
		<-l.done
		l.losses.reportLost()
		if err := l.db.close(); err != nil {
			l.closeErr = fmt.Errorf("closing audit log: %w", err)
		}
	})
	return l.closeErr
}

// KeepsArguments reports whether arguments are kept beside their hash.
func (l *Log) KeepsArguments() bool { return l.full }
