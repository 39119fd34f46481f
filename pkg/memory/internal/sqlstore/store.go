// Package sqlstore is the store of memory that all SQL databases share: what is written, read and
// found, for the session log, the semantic index, the knowledge graph and the state of programs.
//
// A database takes part by implementing [Dialect]. Statements are written once, in SQL that all of
// them understand; [Syntax] has the words in which they differ. What they do in different ways,
// such as full text and vectors, is left to the dialect as a whole.
//
// Parameters are written $1, $2 and so on. A parameter that is a list ([]string, []int64 or
// [][]byte) is read with [Syntax.List]. Functions that are given to a transaction may run twice, so
// they reset what they return.
//
// Exported functions that take a [Store] are for dialects; the exported methods of Store are those
// of [memory.Store].
package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// ErrNoRows means that a query has no first row.
var ErrNoRows = sql.ErrNoRows

// Row is the present row of a query.
type Row interface {
	Scan(dest ...any) error
}

// Statement is a statement with its parameters.
type Statement struct {
	Query string
	Args  []any
}

// Conn is a connection to a database. One goroutine uses it at a time.
type Conn interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// ExecAll runs statements in their order, where possible in one exchange with a server.
	ExecAll(ctx context.Context, all []Statement) error
	// Row scans the first row of a query into dest; the error is [ErrNoRows] if there is none.
	Row(ctx context.Context, query string, args []any, dest ...any) error
	// Each calls scan with every row of a query, until scan fails.
	Each(ctx context.Context, query string, args []any, scan func(Row) error) error
}

// Rows returns what scan makes of every row of a query.
func Rows[T any](ctx context.Context, c Conn, query string, args []any, scan func(Row) (T, error)) (out []T, err error) {
	err = c.Each(ctx, query, args, func(r Row) error {
		x, err := scan(r)
		if err == nil {
			out = append(out, x)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// ScanID scans a row of one number.
func ScanID(r Row) (id int64, err error) { return id, r.Scan(&id) }

// ScanText scans a row of one text.
func ScanText(r Row) (text string, err error) {
	err = r.Scan(&text)
	return text, err
}

// DB runs functions on connections. Errors say what was being done, and where.
type DB interface {
	// Read runs fn on a connection that only reads.
	Read(ctx context.Context, doing string, fn func(Conn) error) error
	// ReadSnapshot is Read with all queries of fn seeing the same state.
	ReadSnapshot(ctx context.Context, doing string, fn func(Conn) error) error
	// Write runs fn in one transaction, which is on the disk when Write returns. The wait for
	// the writer's turn ends with ctx; fn is given a context that does not end with it, so that
	// a cancelled caller never leaves the outcome open.
	Write(ctx context.Context, doing string, fn func(context.Context, Conn) error) error
	// WriteUnsynced is Write without the wait for the disk.
	WriteUnsynced(ctx context.Context, doing string, fn func(context.Context, Conn) error) error
}

// Options are what a store uses beside its database.
type Options struct {
	// Embedder gives facts their vectors. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Groups say what viewers know by what they belong to. If nil, nobody belongs to anything.
	Groups *memory.Groups
	// Logger receives warnings. It is required.
	Logger *slog.Logger
	// Unindexed receives a value when something was written that may have to be indexed. It is
	// required, and has room for one value.
	Unindexed chan struct{}
}

// Store is memory in a database. It is safe for concurrent use.
type Store struct {
	d         Dialect
	syntax    Syntax
	sql       queries
	dumps     map[string]string // by kind of record
	log       *slog.Logger
	groups    *memory.Groups      // nil if nobody belongs to anything
	embedder  embeddings.Provider // nil without
	unindexed chan struct{}
	mind      Mind
	// claim is the number of the vector space that was made the embedder's own, 0 before. That
	// happens once: two programs with different embedders would else take it from each other
	// for ever.
	claim atomic.Int64
}

// New returns the store in a database, after it has done what an earlier process left undone.
func New(ctx context.Context, d Dialect, o Options) (*Store, error) {
	syntax := d.Syntax()
	s := &Store{
		d: d, syntax: syntax, sql: newQueries(syntax), dumps: newDumps(syntax),
		log: o.Logger, groups: o.Groups, embedder: o.Embedder, unindexed: o.Unindexed,
	}
	return s, resumeSettling(ctx, settler{s})
}

// askForIndexing says that something may have to be indexed.
func (s *Store) askForIndexing() { wakeup.Signal(s.unindexed) }

// viewerKeys returns what a list contains of which viewer may see the row: itself, or a group of
// its.
func (s *Store) viewerKeys(viewer string) []string { return viewerKeys(viewer, s.groups) }

// needOne turns a statement that met no row into [memory.ErrNotFound].
func needOne(n int64, err error, what, id string) error {
	if err == nil && n == 0 {
		return fmt.Errorf("%s %q: %w", what, id, memory.ErrNotFound)
	}
	return err
}
