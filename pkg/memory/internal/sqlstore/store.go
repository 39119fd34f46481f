// Package sqlstore implements the store that all SQL databases share: the session log, the semantic index,
// the knowledge graph and the state of programs.
//
// A database takes part by implementing [Dialect]. Statements are written once, in SQL that all databases
// understand; [Syntax] holds the parts that differ. What works differently altogether, such as full text and
// vectors, is left to the dialect:
//
//	s, err := sqlstore.New(ctx, dialect, sqlstore.Options{Logger: log, Unindexed: make(chan struct{}, 1)})
//
// Parameters are written $1, $2 and so on. A list parameter ([]string, []int64 or [][]byte) is read with
// [Syntax.List]. Functions passed to a transaction may run twice, so they must reset their results.
//
// Exported functions that take a [Store] are for dialects; the exported methods of Store implement
// [memory.Store].
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

// ErrNoRows means that a query returned no row.
var ErrNoRows = sql.ErrNoRows

// Row is the current row of a query.
type Row interface {
	Scan(dest ...any) error
}

// Statement is a statement with its parameters.
type Statement struct {
	Query string
	Args  []any
}

// Conn is a connection to a database. Only one goroutine may use it at a time.
type Conn interface {
	// Exec runs a statement and returns the number of changed rows.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// ExecAll runs statements in order, if possible in one round trip to the server.
	ExecAll(ctx context.Context, all []Statement) error
	// Row scans the first row of a query into dest, or returns [ErrNoRows].
	Row(ctx context.Context, query string, args []any, dest ...any) error
	// Each calls scan with every row of a query until scan fails.
	Each(ctx context.Context, query string, args []any, scan func(Row) error) error
}

// Rows returns the results of scan for all rows of a query.
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

// DB runs functions on connections. Its errors name the operation and the place.
type DB interface {
	// Read runs fn on a read-only connection.
	Read(ctx context.Context, doing string, fn func(Conn) error) error
	// ReadSnapshot is Read with one consistent snapshot for all queries of fn.
	ReadSnapshot(ctx context.Context, doing string, fn func(Conn) error) error
	// Write runs fn in one transaction, which is on disk when Write returns. Waiting for the writer's turn
	// ends with ctx. The context passed to fn does not, so that a cancelled caller always knows the outcome.
	Write(ctx context.Context, doing string, fn func(context.Context, Conn) error) error
	// WriteUnsynced is Write without waiting for the disk.
	WriteUnsynced(ctx context.Context, doing string, fn func(context.Context, Conn) error) error
}

// Options are a store's dependencies, apart from its database.
type Options struct {
	// Embedder computes the vectors of facts. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Groups are the groups that viewers belong to. If nil, there are none.
	Groups *memory.Groups
	// Logger receives warnings. It is required.
	Logger *slog.Logger
	// Unindexed receives a value when something was written that may need indexing. It is required and has
	// capacity 1.
	Unindexed chan struct{}
}

// Store is memory in a database. It is safe for concurrent use.
type Store struct {
	d         Dialect
	syntax    Syntax
	sql       queries
	dumps     map[string]string // by kind of record
	log       *slog.Logger
	groups    *memory.Groups      // nil without groups
	embedder  embeddings.Provider // nil if there is none
	unindexed chan struct{}
	lineCache LineCache
	// claim is the number of the vector space that this store made the current one, 0 before. It does so only
	// once, because otherwise two programs with different embedders would replace each other's space for
	// ever.
	claim atomic.Int64
}

// New returns the store of a database. It first finishes an earlier process's unfinished work.
func New(ctx context.Context, d Dialect, o Options) (*Store, error) {
	syntax := d.Syntax()
	s := &Store{
		d: d, syntax: syntax, sql: newQueries(syntax), dumps: newDumps(syntax),
		log: o.Logger, groups: o.Groups, embedder: o.Embedder, unindexed: o.Unindexed,
	}
	return s, resumePlans(ctx, planStore{s})
}

// signalUnindexed signals that something may need indexing.
func (s *Store) signalUnindexed() { wakeup.Signal(s.unindexed) }

// viewerKeys returns the keys of viewer and its groups.
func (s *Store) viewerKeys(viewer string) []string { return viewerKeys(viewer, s.groups) }

// requireRow returns [memory.ErrNotFound] if a statement changed no row.
func requireRow(n int64, err error, what, id string) error {
	if err == nil && n == 0 {
		return fmt.Errorf("%s %q: %w", what, id, memory.ErrNotFound)
	}
	return err
}
