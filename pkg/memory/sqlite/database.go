package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// database is the open file with its connections. It controls access to them.
type database struct {
	path    string
	writer  *pool
	readers *pool
	// unindexed receives a value when something was written that may need indexing.
	unindexed chan struct{}
	// forgets holds a value while a user is being forgotten.
	forgets chan struct{}

	mu     sync.Mutex // guards closed, raw and calls.Add against calls.Wait
	closed bool
	raw    *os.File // the file as bytes, opened on first use
	calls  sync.WaitGroup
}

func openDatabase(ctx context.Context, path string) (*database, error) {
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	s := &database{path: path, unindexed: make(chan struct{}, 1), forgets: make(chan struct{}, 1)}
	var err error
	if s.writer, err = openWriter(path); err != nil {
		return nil, s.explain(ctx, "opening database", err)
	}
	if err := s.writer.withConn(ctx, func(c *conn) error { return migrate(ctx, c, steps()) }); err != nil {
		return nil, errors.Join(s.explain(ctx, "opening database", err), s.writer.close())
	}
	if s.readers, err = openReaders(path); err != nil {
		return nil, errors.Join(s.explain(ctx, "opening database", err), s.writer.close())
	}
	return s, nil
}

// Path returns the absolute path of the database file.
func (s *database) Path() string { return s.path }

// Location returns the same path; see [memory.Store].
func (s *database) Location() string { return s.path }

// Close waits for running calls and closes the file. Later calls fail with [ErrClosed]; another Close does
// nothing.
func (s *database) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.calls.Wait()
	err := errors.Join(s.readers.close(), s.writer.close())
	if s.raw != nil {
		err = errors.Join(err, s.raw.Close())
	}
	return s.explain(context.Background(), "closing database", err)
}

// beginCall registers a call. Unless it fails, endCall must follow.
func (s *database) beginCall() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.calls.Add(1)
	return nil
}

func (s *database) endCall() { s.calls.Done() }

// read runs fn on a read-only connection.
func (s *database) read(ctx context.Context, doing string, fn func(c *conn) error) error {
	if err := s.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.endCall()
	return s.explain(ctx, doing, s.readers.withConn(ctx, fn))
}

// readSnapshot is read with one consistent snapshot for all queries of fn.
func (s *database) readSnapshot(ctx context.Context, doing string, fn func(c *conn) error) error {
	return s.read(ctx, doing, func(c *conn) error {
		return c.transact(ctx, "BEGIN", func() error { return fn(c) })
	})
}

// write runs fn in one transaction. Waiting for the writer's turn ends with ctx. Once begun, the transaction
// runs to its end, so that a cancelled caller always knows the outcome.
func (s *database) write(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	return s.withWriter(ctx, doing, func(ctx context.Context, c *conn) error {
		return c.transact(ctx, "BEGIN IMMEDIATE", func() error { return fn(ctx, c) })
	})
}

// writeUnsynced is write without waiting for the disk. Its changes survive the end of the process. A power
// cut may lose the latest transactions, each as a whole, that no later synced write has brought to disk.
func (s *database) writeUnsynced(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	return s.withWriter(ctx, doing, func(ctx context.Context, c *conn) error {
		return c.unsynced(ctx, func() error {
			return c.transact(ctx, "BEGIN IMMEDIATE", func() error { return fn(ctx, c) })
		})
	})
}

// withWriter calls fn with the writing connection and a context that does not end.
func (s *database) withWriter(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	if err := s.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.endCall()
	return s.explain(ctx, doing, s.writer.withConn(ctx, func(c *conn) error { return fn(context.WithoutCancel(ctx), c) }))
}

// signalUnindexed signals that something may need indexing.
func (s *database) signalUnindexed() { wakeup.Signal(s.unindexed) }
