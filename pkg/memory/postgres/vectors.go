package postgres

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pgvector/pgvector-go"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// How the vectors of a space are stored: as pgvector's type or as bytes.
const (
	kindVector = "vector"
	kindBytes  = "bytes"
)

// longestIndexed is the maximum number of dimensions that pgvector can index.
const longestIndexed = 2000

// vectorTable returns the name of a space's table of vectors.
func vectorTable(n int64) string { return fmt.Sprintf("fact_vectors_%d", n) }

// kind returns how this database stores new vectors.
func (s *database) kind() string {
	if s.vectors {
		return kindVector
	}
	return kindBytes
}

func (d *dialect) MakeSpace(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) error {
	if err := makeVectorTable(ctx, c, space); err != nil {
		return err
	}
	_, err := c.Exec(ctx, `INSERT INTO vector_spaces (n, name, dims, kind) VALUES ($1, $2, $3, $4)`, space.N, space.Name, space.Dims, space.Kind)
	return err
}

// makeVectorTable creates the table of a space. With pgvector, it adds an index if the dimensions allow.
// Otherwise it numbers the rows, so that a sketch can find the new ones.
func makeVectorTable(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) error {
	column := "embedding bytea NOT NULL, n bigint GENERATED ALWAYS AS IDENTITY UNIQUE"
	if space.Kind == kindVector {
		column = fmt.Sprintf("embedding vector(%d) NOT NULL", space.Dims)
	}
	_, err := c.Exec(ctx, fmt.Sprintf(`CREATE TABLE %s (fact bigint PRIMARY KEY REFERENCES facts (id) ON DELETE CASCADE, %s)`, vectorTable(space.N), column))
	if err != nil || space.Kind != kindVector || space.Dims > longestIndexed {
		return err
	}
	_, err = c.Exec(ctx, fmt.Sprintf(`CREATE INDEX ON %s USING hnsw (embedding vector_cosine_ops)`, vectorTable(space.N)))
	return err
}

func (d *dialect) DropSpaces(ctx context.Context, numbers []int64) error {
	return d.Write(ctx, "dropping old vectors", func(ctx context.Context, c sqlstore.Conn) error {
		for _, n := range numbers {
			if _, err := c.Exec(ctx, `DROP TABLE IF EXISTS `+vectorTable(n)); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, `DELETE FROM vector_spaces WHERE n = $1`, n); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *dialect) InsertVector(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, fact int64, vector []float32) error {
	_, err := c.Exec(ctx, `INSERT INTO `+vectorTable(space.N)+` (fact, embedding) VALUES ($1, $2)`, fact, column(space, vector))
	return err
}

// column returns a vector in the format of its space's table.
func column(space sqlstore.Space, v []float32) any {
	if space.Kind == kindVector {
		return pgvector.NewVector(v)
	}
	return sqlstore.Vector(v)
}

// scanVector scans a fact's hash and its vector.
func scanVector(space sqlstore.Space, r sqlstore.Row) (hash []byte, v []float32, err error) {
	if space.Kind == kindVector {
		var kept pgvector.Vector
		err = r.Scan(&hash, &kept)
		return hash, kept.Slice(), err
	}
	var packed []byte
	err = r.Scan(&hash, &packed)
	return hash, sqlstore.Floats(packed), err
}

func (d *dialect) CountVectors(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) (n int64, err error) {
	return n, c.Row(ctx, `SELECT count(*) FROM `+vectorTable(space.N), nil, &n)
}

func (d *dialect) Nearest(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []float32, keys []string, k int) (hits []sqlstore.Scored, err error) {
	if space.Kind == kindBytes {
		hits, ok, err := d.nearestSketched(ctx, c, space, vector, keys, k)
		if !ok && err == nil {
			hits, err = compareVectors(ctx, c, space, vector, k, d.syntax.Heard("f", "$1"), keys)
		}
		return hits, err
	}
	// The index finds the nearest of all vectors. If the viewer may see too few of those, all visible vectors
	// are compared instead.
	if space.Dims <= longestIndexed {
		if _, err := c.Exec(ctx, `SELECT set_config('hnsw.ef_search', $1, true)`, strconv.Itoa(min(1000, max(40, 2*k)))); err != nil {
			return nil, err
		}
		hits, err = d.queryNearest(ctx, c, space, `v.embedding <=> $1`, vector, keys, k)
		if err != nil || len(hits) == k {
			return hits, err
		}
	}
	hits, err = d.queryNearest(ctx, c, space, `(v.embedding <=> $1) + 0`, vector, keys, k)
	return hits, err
}

// queryNearest has the database order vectors by distance.
func (d *dialect) queryNearest(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, distance string, vector []float32, keys []string, k int) ([]sqlstore.Scored, error) {
	query := `SELECT v.fact, v.embedding <=> $1 FROM ` + vectorTable(space.N) + ` v JOIN facts f ON f.id = v.fact
		WHERE ` + d.syntax.Heard("f", "$2") + ` ORDER BY ` + distance + ` LIMIT $3`
	return sqlstore.Rows(ctx, c, query, []any{column(space, vector), keys, k}, func(r sqlstore.Row) (h sqlstore.Scored, err error) {
		var distance float64
		err = r.Scan(&h.ID, &distance)
		h.Score = min(1, max(0, 1-distance))
		return h, err
	})
}

// nearestOf returns the k best, in order. It sorts all in place.
func nearestOf(all []sqlstore.Scored, k int) []sqlstore.Scored {
	slices.SortFunc(all, func(a, b sqlstore.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), k)]
}

// similarity returns the cosine of two vectors of length 1. The second is in its stored format.
func similarity(v []float32, packed []byte) float64 {
	if len(packed) != 4*len(v) {
		return 0
	}
	var sum float32
	for i, x := range v {
		sum += x * math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return float64(sum)
}

func (d *dialect) LineVectors(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, ids []int64) (map[int64][]float32, error) {
	saying := make(map[string][]int64, len(ids)) // ids of lines, by the hash of their fact
	var hashes [][]byte
	err := c.Each(ctx, `SELECT l.id, s.id, l.speaker, l.text FROM lines l JOIN sessions s ON s.n = l.session WHERE l.id = ANY ($1)`, []any{ids}, func(r sqlstore.Row) error {
		var l memory.Line
		err := r.Scan(&l.ID, &l.Session, &l.Speaker, &l.Text)
		f := memory.FactOf(l)
		hash := factHash(f.Source, f.Text)
		hashes = append(hashes, hash)
		saying[string(hash)] = append(saying[string(hash)], l.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[int64][]float32, len(ids))
	err = c.Each(ctx, `SELECT f.hash, v.embedding FROM facts f JOIN `+vectorTable(space.N)+` v ON v.fact = f.id WHERE f.hash = ANY ($1::bytea[]) AND f.embedded = $2`,
		[]any{hashes, space.N}, func(r sqlstore.Row) error {
			hash, v, err := scanVector(space, r)
			for _, id := range saying[string(hash)] {
				out[id] = v
			}
			return err
		})
	return out, err
}
