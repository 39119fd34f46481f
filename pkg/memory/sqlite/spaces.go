package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
)

// errSpaceChanged means that another process uses the file with another
// embedder.
var errSpaceChanged = errors.New("the vectors belong to another embedding model by now; let all programs that use this database have the same one")

// vectorSpace is where the vectors of one embedder are; n is 0 if there is none.
type vectorSpace struct {
	n    int64
	name string
	dims int
}

// claim is the space that was made the embedder's own, 0 before. It is made so
// once: two programs with different embedders would else take it from each other
// for ever.
type claim struct{ atomic.Int64 }

// vectorTable is the table of a space's vectors.
func vectorTable(n int64) string {
	if n == 1 {
		return "fact_vectors" // as before there were several
	}
	return fmt.Sprintf("fact_vectors_%d", n)
}

// latestSpace is the space in use.
func latestSpace(ctx context.Context, c *conn) (space vectorSpace, err error) {
	err = c.row(ctx, `SELECT n, name, dims FROM vector_spaces ORDER BY n DESC LIMIT 1`, nil, &space.n, &space.name, &space.dims)
	if errors.Is(err, sql.ErrNoRows) {
		return vectorSpace{}, nil
	}
	return space, err
}

// ownSpace is the space in use if it is this embedder's, as far as is known: an
// embedder that has not told its length yet is known by its name.
func (s *database) ownSpace(ctx context.Context, c *conn) (vectorSpace, error) {
	space, err := latestSpace(ctx, c)
	if err != nil || s.embedder == nil || space.name != s.embedder.Name() {
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
	err := s.read(ctx, "checking vectors", func(c *conn) (err error) {
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
	err = s.write(ctx, "preparing vectors", func(ctx context.Context, c *conn) error {
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
		own = vectorSpace{n: latest.n + 1, name: s.embedder.Name(), dims: dims}
		err = c.script(ctx, fmt.Sprintf(`CREATE VIRTUAL TABLE %s USING vec0 (embedding float[%d] distance_metric=cosine, chunk_size=256)`,
			vectorTable(own.n), dims))
		if err != nil {
			return err
		}
		_, err = c.exec(ctx, `INSERT INTO vector_spaces (n, name, dims) VALUES (?, ?, ?)`, own.n, own.name, own.dims)
		return err
	})
	return own, err
}

// earlierSpaces lists the spaces before the one in use, the latest first.
func earlierSpaces(ctx context.Context, c *conn) ([]int64, error) {
	return rows(ctx, c, `SELECT n FROM vector_spaces WHERE n < (SELECT max(n) FROM vector_spaces) ORDER BY n DESC`, nil, scanID)
}

func scanID(r *sql.Rows) (id int64, err error) { return id, r.Scan(&id) }

// dropEarlierSpaces takes the vectors of earlier embedders out of the file, when
// no fact needs them any more. Dropping a table of hundreds of megabytes would
// hold up writers for seconds, so its rows go before it, a few at a time.
func (s *Index) dropEarlierSpaces(ctx context.Context) error {
	var earlier []int64
	err := s.read(ctx, "listing old vectors", func(c *conn) (err error) {
		earlier, err = earlierSpaces(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	for _, n := range earlier {
		table := vectorTable(n)
		// What lies behind a table of vectors: first what makes a vector findable,
		// so that none is looked for where it has gone.
		for _, part := range []struct {
			name string
			rows int
		}{{table + "_rowids", 4096}, {table + "_vector_chunks00", 4}, {table + "_chunks", 256}} {
			for more := true; more; {
				err := s.writeUnsynced(ctx, "dropping old vectors", func(ctx context.Context, c *conn) (err error) {
					more, err = deleteRows(ctx, c, part.name, part.rows)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		err := s.write(ctx, "dropping old vectors", func(ctx context.Context, c *conn) error {
			if err := c.script(ctx, `DROP TABLE IF EXISTS `+table); err != nil {
				return err
			}
			_, err := c.exec(ctx, `DELETE FROM vector_spaces WHERE n = ?`, n)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteRows deletes some rows of a table and reports whether there may be more.
func deleteRows(ctx context.Context, c *conn, table string, n int) (more bool, err error) {
	err = c.row(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)`, []any{table}, &more)
	if err != nil || !more {
		return false, err
	}
	res, err := c.raw.ExecContext(ctx, fmt.Sprintf(`DELETE FROM %s WHERE rowid IN (SELECT rowid FROM %[1]s LIMIT %d)`, table, n))
	if err != nil {
		return false, err
	}
	gone, err := res.RowsAffected()
	return gone > 0, err
}
