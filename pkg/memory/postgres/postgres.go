// Package postgres stores all three layers of memory in a PostgreSQL database: the session log, the semantic
// index and the knowledge graph, together with the state of programs. Several processes may use one database.
// For example:
//
//	store, err := postgres.Open(ctx, "postgres://user:password@host:5432/database", nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//
// Vectors are found with the extension pgvector if the database has it; otherwise a sketch selects
// candidates, or all of them are compared. The embedder may use the network, so it is never called while a
// lock or a transaction is held. The package starts no goroutine that outlives [Store.Close].
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

var _ memory.Store = (*Store)(nil)

// Options configures a [Store]. The zero value works.
type Options struct {
	// Embedder computes the vectors of facts. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Schema holds the tables and is created if it does not exist. If empty, the schema of the connection
	// string is used.
	Schema string
	// Groups are the groups that viewers belong to. If nil, there are none.
	Groups *memory.Groups
	// Logger receives warnings. If nil, they are discarded.
	Logger *slog.Logger
}

// Store is an open database. It is safe for concurrent use: readers never wait for writers, and writers take
// turns, also with those of other processes.
type Store struct {
	*database
	*memoryStore
}

// memoryStore provides the methods of [memory.Store] that are the same for all databases.
type memoryStore = sqlstore.Store

// Open opens the database named by a connection string. It creates missing tables, migrates an older schema,
// and rejects a newer one with [ErrTooNew]. No error contains the password.
func Open(ctx context.Context, dsn string, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db, err := openDatabase(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	shared, err := sqlstore.New(ctx, newDialect(db), sqlstore.Options{
		Embedder: o.Embedder, Groups: o.Groups, Logger: o.Logger, Unindexed: db.unindexed,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{database: db, memoryStore: shared}, nil
}

// database is the open database with its connections. It controls access to them.
type database struct {
	location string
	pool     *pgxpool.Pool
	// vectors reports that the database has pgvector.
	vectors bool
	// unindexed receives a value when something was written that may need indexing.
	unindexed chan struct{}

	mu     sync.Mutex // guards closed and calls.Add against calls.Wait
	closed bool
	calls  sync.WaitGroup
}

// Location returns the server and its database, without user and password.
func (s *database) Location() string { return s.location }

// Extension reports whether the database has pgvector, which finds the nearest of many vectors without
// comparing all of them.
func (s *database) Extension() bool { return s.vectors }

// Close waits for running calls and closes the connections. Later calls fail with [memory.ErrClosed]; another
// Close does nothing.
func (s *database) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.calls.Wait()
	s.pool.Close()
	return nil
}

// beginCall registers a call. Unless it fails, endCall must follow.
func (s *database) beginCall() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return memory.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

func (s *database) endCall() { s.calls.Done() }

// signalUnindexed signals that something may need indexing.
func (s *database) signalUnindexed() { wakeup.Signal(s.unindexed) }

// openDatabase migrates the schema and opens the connections.
func openDatabase(ctx context.Context, dsn string, o Options) (*database, error) {
	if dsn == "" {
		return nil, errors.New("opening database: no connection string given; set memory.dsn")
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("opening database: %w: the connection string is none; write postgres://user:password@host:5432/database", ErrDSN)
	}
	if o.Schema != "" {
		config.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{o.Schema}.Sanitize() + ", public"
	}
	s := &database{location: locate(config), unindexed: make(chan struct{}, 1)}
	if s.vectors, err = prepare(ctx, config, o.Schema); err != nil {
		return nil, s.explain(ctx, "opening database", err)
	}
	if s.pool, err = openPool(ctx, config, s.vectors); err != nil {
		return nil, s.explain(ctx, "opening database", err)
	}
	return s, nil
}

// locate returns the address of a database without its credentials.
func locate(c *pgxpool.Config) string {
	at := fmt.Sprintf("postgres://%s:%d/%s", c.ConnConfig.Host, c.ConnConfig.Port, c.ConnConfig.Database)
	if path := c.ConnConfig.RuntimeParams["search_path"]; path != "" {
		at += " (" + path + ")"
	}
	return at
}
