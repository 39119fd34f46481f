package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// database is the open file: who may use it now, and in which way.
type database struct {
	path    string
	writer  *pool
	readers *pool
	// unindexed has a value when something was written that may have to be
	// indexed.
	unindexed chan struct{}
	// forgets has a value while somebody is being forgotten.
	forgets chan struct{}

	mu     sync.Mutex // guards closed, raw and calls.Add against calls.Wait
	closed bool
	raw    *os.File // the file as bytes; nil until somebody wants it
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
	if err := s.writer.lendConn(ctx, func(c *conn) error { return migrate(ctx, c, steps()) }); err != nil {
		return nil, errors.Join(s.explain(ctx, "opening database", err), s.writer.close())
	}
	if s.readers, err = openReaders(path); err != nil {
		return nil, errors.Join(s.explain(ctx, "opening database", err), s.writer.close())
	}
	return s, nil
}

// Path is the absolute path of the database file.
func (s *database) Path() string { return s.path }

// Location is the same, for people.
func (s *database) Location() string { return s.path }

// Close waits for running calls and closes the file. Later calls fail with
// [ErrClosed]; closing again does nothing.
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

// beginCall counts a call in; endCall must follow unless it fails.
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

// read runs fn on a connection that only reads.
func (s *database) read(ctx context.Context, doing string, fn func(c *conn) error) error {
	if err := s.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.endCall()
	return s.explain(ctx, doing, s.readers.lendConn(ctx, fn))
}

// readSnapshot is read with all queries of fn seeing the same state.
func (s *database) readSnapshot(ctx context.Context, doing string, fn func(c *conn) error) error {
	return s.read(ctx, doing, func(c *conn) error {
		return c.transact(ctx, "BEGIN", func() error { return fn(c) })
	})
}

// write runs fn in one transaction. The wait for the writer's turn ends with
// ctx; once begun, the transaction runs to its end, so that a cancelled caller
// never leaves the outcome open.
func (s *database) write(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	return s.lendWriter(ctx, doing, func(ctx context.Context, c *conn) error {
		return c.transact(ctx, "BEGIN IMMEDIATE", func() error { return fn(ctx, c) })
	})
}

// writeUnsynced is write without the wait for the disk. What it wrote survives
// the end of the process; a power cut may take what no later write has brought
// to the disk, from the end and each transaction as a whole.
func (s *database) writeUnsynced(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	return s.lendWriter(ctx, doing, func(ctx context.Context, c *conn) error {
		return c.unsynced(ctx, func() error {
			return c.transact(ctx, "BEGIN IMMEDIATE", func() error { return fn(ctx, c) })
		})
	})
}

// lendWriter gives fn the connection that writes, and a context that does not
// end.
func (s *database) lendWriter(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	if err := s.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.endCall()
	return s.explain(ctx, doing, s.writer.lendConn(ctx, func(c *conn) error { return fn(context.WithoutCancel(ctx), c) }))
}

// askForIndexing says that something may have to be indexed.
func (s *database) askForIndexing() { wakeup.Signal(s.unindexed) }
