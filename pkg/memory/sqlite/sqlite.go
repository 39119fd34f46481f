// Package sqlite stores all three layers of memory in one embedded file: the session log, the semantic index
// and the knowledge graph, together with the state of programs. For example:
//
//	store, err := sqlite.Open(ctx, "campaign.db", nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//
// It starts no goroutine that outlives [Store.Close]. The embedder may use the network, so it is never called
// while a lock or a transaction is held.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

var _ memory.Store = (*Store)(nil)

// Options configures a [Store]. The zero value works.
type Options struct {
	// Embedder computes the vectors of facts. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Groups are the groups that viewers belong to. If nil, there are none.
	Groups *memory.Groups
	// Logger receives warnings. If nil, they are discarded.
	Logger *slog.Logger
}

// Store is an open database. It is safe for concurrent use: readers never wait for writers, and writers take
// turns. Several processes may open the same file.
type Store struct {
	*database
	*memoryStore
}

// memoryStore provides the methods of [memory.Store] that are the same for all databases.
type memoryStore = sqlstore.Store

// Open opens the database at path. It creates the file and its directory if they do not exist, migrates an
// older database, and rejects a newer one with [ErrTooNew]. Every error is one line with the path and what to
// do about it.
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	if path == "" {
		return nil, errors.New("opening database: no path given")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening database %s: %w", path, err)
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db, err := openDatabase(ctx, abs)
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
