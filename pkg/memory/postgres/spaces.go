package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// errSpaceChanged means that another process uses the database with another embedder.
var errSpaceChanged = errors.New("the vectors belong to another embedding model by now; let all programs that use this database have the same one")

// How the vectors of a space are kept: as pgvector has them, or as bytes.
const (
	kindVector = "vector"
	kindBytes  = "bytes"
)

// longestIndexed is how many dimensions pgvector's index takes at most.
const longestIndexed = 2000

// vectorSpace is where the vectors of one embedder are; n is 0 if there is none.
type vectorSpace struct {
	n    int64
	name string
	dims int
	kind string
}

// claim is the space that was made the embedder's own, 0 before. It is made so
// once: two programs with different embedders would else take it from each other
// for ever.
type claim struct{ atomic.Int64 }

// vectorTable is the table of a space's vectors.
func vectorTable(n int64) string { return fmt.Sprintf("fact_vectors_%d", n) }

// kind is how this database keeps vectors now.
func (s *database) kind() string {
	if s.vectors {
		return kindVector
	}
	return kindBytes
}

// latestSpace is the space in use.
func latestSpace(ctx context.Context, c conn) (space vectorSpace, err error) {
	err = row(ctx, c, `SELECT n, name, dims, kind FROM vector_spaces ORDER BY n DESC LIMIT 1`, nil, &space.n, &space.name, &space.dims, &space.kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return vectorSpace{}, nil
	}
	space.name = restored(space.name)
	return space, err
}

// ownSpace is the space in use if it is this embedder's, as far as is known: an
// embedder that has not told its length yet is known by its name. One from before the
// extension was there, or from when it was, is not.
func (s *database) ownSpace(ctx context.Context, c conn) (vectorSpace, error) {
	space, err := latestSpace(ctx, c)
	if err != nil || s.embedder == nil || space.name != s.embedder.Name() || space.kind != s.kind() {
		return vectorSpace{}, err
	}
	if dims := s.embedder.Dimensions(); dims != 0 && dims != space.dims {
		return vectorSpace{}, nil
	}
	return space, nil
}

// ensureSpace makes the embedder's space the one in use. If that was another's,
// no fact has a vector any more.
func (s *Index) ensureSpace(ctx context.Context, dims int) error {
	var own vectorSpace
	err := s.read(ctx, "checking vectors", func(c conn) (err error) {
		own, err = s.ownSpace(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	if own.n == 0 {
		if own, err = s.addSpace(ctx, dims); err != nil {
			return err
		}
	}
	s.claim.Store(own.n)
	return nil
}

func (s *Index) addSpace(ctx context.Context, dims int) (own vectorSpace, err error) {
	err = s.write(ctx, "preparing vectors", func(ctx context.Context, c conn) error {
		if own, err = s.ownSpace(ctx, c); err != nil || own.n != 0 {
			return err
		}
		if s.claim.Load() != 0 {
			return errSpaceChanged
		}
		latest, err := latestSpace(ctx, c)
		if err != nil {
			return err
		}
		own = vectorSpace{n: latest.n + 1, name: s.embedder.Name(), dims: dims, kind: s.kind()}
		if err := makeVectorTable(ctx, c, own); err != nil {
			return err
		}
		_, err = exec(ctx, c, `INSERT INTO vector_spaces (n, name, dims, kind) VALUES ($1, $2, $3, $4)`, own.n, keepable(own.name), own.dims, own.kind)
		return err
	})
	return own, err
}

// makeVectorTable makes the table of a space, with the index that leads to the nearest
// where there can be one, or numbers by which a sketch knows what is new to it.
func makeVectorTable(ctx context.Context, c conn, space vectorSpace) error {
	column := "embedding bytea NOT NULL, n bigint GENERATED ALWAYS AS IDENTITY UNIQUE"
	if space.kind == kindVector {
		column = fmt.Sprintf("embedding vector(%d) NOT NULL", space.dims)
	}
	_, err := exec(ctx, c, fmt.Sprintf(`CREATE TABLE %s (fact bigint PRIMARY KEY REFERENCES facts (id) ON DELETE CASCADE, %s)`, vectorTable(space.n), column))
	if err != nil || space.kind != kindVector || space.dims > longestIndexed {
		return err
	}
	_, err = exec(ctx, c, fmt.Sprintf(`CREATE INDEX ON %s USING hnsw (embedding vector_cosine_ops)`, vectorTable(space.n)))
	return err
}

// dropEarlierSpaces drops the vectors of earlier embedders, when no fact needs them any
// more.
func (s *Index) dropEarlierSpaces(ctx context.Context) error {
	var earlier []int64
	err := s.read(ctx, "listing old vectors", func(c conn) (err error) {
		earlier, err = rows(ctx, c, `SELECT n FROM vector_spaces WHERE n < (SELECT max(n) FROM vector_spaces)`, nil, scanID)
		return err
	})
	if err != nil || len(earlier) == 0 {
		return err
	}
	return s.write(ctx, "dropping old vectors", func(ctx context.Context, c conn) error {
		for _, n := range earlier {
			if _, err := exec(ctx, c, `DROP TABLE IF EXISTS `+vectorTable(n)); err != nil {
				return err
			}
			if _, err := exec(ctx, c, `DELETE FROM vector_spaces WHERE n = $1`, n); err != nil {
				return err
			}
		}
		return nil
	})
}
