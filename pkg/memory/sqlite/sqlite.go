// Package sqlite keeps all three layers of memory in one embedded file: the
// session log, the semantic index and the knowledge graph.
//
// Imported by the composition root. It opens one file and starts no goroutine
// that outlives [Store.Close]; the embedder it is given may use the network,
// which never happens while a lock or a transaction is held.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

var (
	_ memory.SessionLog = (*Store)(nil)
	_ memory.Index      = (*Store)(nil)
	_ memory.Graph      = (*Store)(nil)
)

// Options tune a [Store]. The zero value works.
type Options struct {
	// Embedder gives facts their vectors. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Logger receives warnings. If nil, they are discarded.
	Logger *slog.Logger
}

// Store is the database. It is safe for concurrent use: readers never wait for
// the writer, writers take turns. Several processes may open the same file.
type Store struct {
	path     string
	embedder embeddings.Provider
	log      *slog.Logger
	writer   *pool
	readers  *pool

	mu     sync.Mutex // guards closed and calls.Add against calls.Wait
	closed bool
	calls  sync.WaitGroup
}

// Open opens the database at path and creates it, its directory included, if
// there is none. It brings an older database up to date and refuses a newer
// one with [ErrTooNew]. Every error is one line that names the path and what
// to do.
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	if path == "" {
		return nil, errors.New("opening database: no path given")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening database %s: %w", path, err)
	}
	s := &Store{path: abs, log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		s.embedder = opts.Embedder
		if opts.Logger != nil {
			s.log = opts.Logger
		}
	}
	if err := prepareFile(abs); err != nil {
		return nil, err
	}
	if s.writer, err = openWriter(abs); err != nil {
		return nil, s.explain(ctx, "opening database", err)
	}
	if err := s.writer.with(ctx, func(c *conn) error { return migrate(ctx, c, steps()) }); err != nil {
		return nil, errors.Join(s.explain(ctx, "opening database", err), s.writer.close())
	}
	if s.readers, err = openReaders(abs); err != nil {
		return nil, errors.Join(s.explain(ctx, "opening database", err), s.writer.close())
	}
	return s, nil
}

// Path is the absolute path of the database file.
func (s *Store) Path() string { return s.path }

// Semantic reports whether facts are found by meaning, not by full text alone.
func (s *Store) Semantic() bool { return s.embedder != nil }

// Close waits for running calls and closes the file. Later calls fail with
// [ErrClosed]; closing again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.calls.Wait()
	err := errors.Join(s.readers.close(), s.writer.close())
	return s.explain(context.Background(), "closing database", err)
}

// enter counts a call in; leave must follow unless it fails.
func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.calls.Add(1)
	return nil
}

func (s *Store) leave() { s.calls.Done() }

// read runs fn on a connection that only reads.
func (s *Store) read(ctx context.Context, doing string, fn func(c *conn) error) error {
	if err := s.enter(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.leave()
	return s.explain(ctx, doing, s.readers.with(ctx, fn))
}

// snapshot is read with all queries of fn seeing the same state.
func (s *Store) snapshot(ctx context.Context, doing string, fn func(c *conn) error) error {
	return s.read(ctx, doing, func(c *conn) error {
		return c.transact(ctx, "BEGIN", func() error { return fn(c) })
	})
}

// write runs fn in one transaction. The wait for the writer's turn ends with
// ctx; once begun, the transaction runs to its end, so that a cancelled caller
// never leaves the outcome open.
func (s *Store) write(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	return s.lend(ctx, doing, func(ctx context.Context, c *conn) error {
		return c.transact(ctx, "BEGIN IMMEDIATE", func() error { return fn(ctx, c) })
	})
}

// writeUnsynced is write without the wait for the disk. What it wrote survives
// the end of the process; a power cut may take what no later write has brought
// to the disk, from the end and each transaction as a whole.
func (s *Store) writeUnsynced(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	return s.lend(ctx, doing, func(ctx context.Context, c *conn) error {
		return c.unsynced(ctx, func() error {
			return c.transact(ctx, "BEGIN IMMEDIATE", func() error { return fn(ctx, c) })
		})
	})
}

// lend gives fn the connection that writes, and a context that does not end.
func (s *Store) lend(ctx context.Context, doing string, fn func(ctx context.Context, c *conn) error) error {
	if err := s.enter(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.leave()
	return s.explain(ctx, doing, s.writer.with(ctx, func(c *conn) error { return fn(context.WithoutCancel(ctx), c) }))
}
