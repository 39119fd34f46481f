// Package sqlite keeps all three layers of memory in one embedded file: the
// session log, the semantic index and the knowledge graph, and beside them what
// programs keep between runs.
//
// It starts no goroutine that outlives [Store.Close]. The embedder it is given
// may use the network, which never happens while a lock or a transaction is
// held.
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

// Options tune a [Store]. The zero value works.
type Options struct {
	// Embedder gives facts their vectors. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Groups say what viewers know by what they belong to. If nil, nobody belongs to
	// anything.
	Groups *memory.Groups
	// Logger receives warnings. If nil, they are discarded.
	Logger *slog.Logger
}

// Store is the database with everything in it. It is safe for concurrent use:
// readers never wait for the writer, writers take turns. Several processes may
// open the same file.
type Store struct {
	*database
	*memoryStore
}

// memoryStore has the methods of [memory.Store] that are the same for all databases.
type memoryStore = sqlstore.Store

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
