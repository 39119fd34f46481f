package play

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// StoreOptions configure a store. The zero value works.
type StoreOptions struct {
	// Embedder gives facts their vectors. If nil, facts are found by full text.
	Embedder embeddings.Provider
	// Groups say which groups viewers belong to, because groups share knowledge. If nil, they belong
	// to none.
	Groups *memory.Groups
	// Logger receives warnings. If nil, they are discarded.
	Logger *slog.Logger
}

// OpenStore opens the store of a configuration, and creates it if it does not exist.
func OpenStore(ctx context.Context, m config.Memory, o StoreOptions) (memory.Store, error) {
	if m.Store == config.StorePostgres {
		s, err := postgres.Open(ctx, m.DSN.Reveal(), &postgres.Options{Embedder: o.Embedder, Groups: o.Groups, Logger: o.Logger, Schema: m.Schema})
		return orNone(s, err)
	}
	if err := os.MkdirAll(filepath.Dir(m.Path), 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w; set data_dir to a directory that Glyphoxa may write to", userfile.PlainFileError(err))
	}
	s, err := sqlite.Open(ctx, m.Path, &sqlite.Options{Embedder: o.Embedder, Groups: o.Groups, Logger: o.Logger})
	return orNone(s, err)
}

// orNone returns a nil interface if there is an error, because an interface with a nil pointer would not be
// nil.
func orNone(s memory.Store, err error) (memory.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// MayExist reports whether the store of a configuration may already exist, so that callers can avoid creating
// it.
func MayExist(m config.Memory) bool {
	if m.Store == config.StorePostgres {
		return true
	}
	_, err := os.Stat(m.Path)
	return !errors.Is(err, fs.ErrNotExist)
}

// StoreAdvice returns advice on how a store could search better; empty if there is none.
func StoreAdvice(s memory.Store) string {
	if p, ok := s.(*postgres.Store); ok && p.Semantic() && !p.Extension() {
		return "search compares entries one by one, which is fast enough for about ten thousand facts; for more, install pgvector on the server"
	}
	return ""
}
