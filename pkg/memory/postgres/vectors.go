package postgres

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/embedder"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// embed computes the facts' vectors, at most embedBatch, and stores them. No
// lock and no transaction is held while the embedder works.
func (s *Index) embed(ctx context.Context, todo []pending) error {
	texts := make([]string, len(todo))
	for i, p := range todo {
		texts[i] = p.text
	}
	vectors, dims, err := embedder.Texts(ctx, s.embedder, texts)
	if err != nil {
		return err // which says what was being done
	}
	if err := s.ensureSpace(ctx, dims); err != nil {
		return err
	}
	return s.writeUnsynced(ctx, "storing vectors", func(ctx context.Context, c conn) error {
		space, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		if space.n == 0 || space.dims != dims {
			return errSpaceChanged
		}
		for i, f := range todo {
			if err := putVector(ctx, c, space, f, vectors[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// putVector stores one fact's vector unless a concurrent call was faster or
// the fact has gone meanwhile. A nil vector marks the fact as done.
func putVector(ctx context.Context, c conn, space vectorSpace, f pending, vector []float32) error {
	n, err := exec(ctx, c, `UPDATE facts SET embedded = $1 WHERE id = $2 AND embedded = $3 AND text = $4`, space.n, f.id, f.embedded, keepable(f.text))
	if err != nil || n == 0 || vector == nil {
		return err
	}
	_, err = exec(ctx, c, `INSERT INTO `+vectorTable(space.n)+` (fact, embedding) VALUES ($1, $2)`, f.id, space.column(vector))
	return err
}

// column is a vector as the table of its space takes it.
func (space vectorSpace) column(v []float32) any {
	if space.kind == kindVector {
		return pgvector.NewVector(v)
	}
	return pack.Vector(v)
}

// scanVector scans a fact's hash and its vector.
func (space vectorSpace) scanVector(r pgx.Rows) (hash []byte, v []float32, err error) {
	if space.kind == kindVector {
		var kept pgvector.Vector
		err = r.Scan(&hash, &kept)
		return hash, kept.Slice(), err
	}
	var packed []byte
	err = r.Scan(&hash, &packed)
	return hash, pack.Floats(packed), err
}

// nearest returns the k facts nearest to the vector, and the space that was
// searched, 0 if none could be.
func (s *Index) nearest(ctx context.Context, c conn, vector []float32, viewer string, k int) (hits []scored, searched int64, err error) {
	if vector == nil {
		return nil, 0, nil
	}
	space, err := s.ownSpace(ctx, c)
	if err != nil || space.n == 0 {
		return nil, 0, err
	}
	if space.kind == kindBytes {
		hits, ok, err := s.nearestSketched(ctx, c, space, vector, viewer, k)
		if !ok && err == nil {
			hits, err = compareVectors(ctx, c, space, vector, k, heardBy("f", "$1"), s.viewerKeys(viewer))
		}
		return hits, space.n, err
	}
	// The index leads to the nearest of all; where too few of them are for the viewer's
	// eyes, those that are get compared one by one.
	if space.dims <= longestIndexed {
		if _, err := exec(ctx, c, `SELECT set_config('hnsw.ef_search', $1, true)`, strconv.Itoa(min(1000, max(40, 2*k)))); err != nil {
			return nil, 0, err
		}
		hits, err = queryNearest(ctx, c, space, `v.embedding <=> $1`, vector, s.viewerKeys(viewer), k)
		if err != nil || len(hits) == k {
			return hits, space.n, err
		}
	}
	hits, err = queryNearest(ctx, c, space, `(v.embedding <=> $1) + 0`, vector, s.viewerKeys(viewer), k)
	return hits, space.n, err
}

// queryNearest has the database order vectors by their distance.
func queryNearest(ctx context.Context, c conn, space vectorSpace, distance string, vector []float32, keys []string, k int) ([]scored, error) {
	query := `SELECT v.fact, v.embedding <=> $1 FROM ` + vectorTable(space.n) + ` v JOIN facts f ON f.id = v.fact
		WHERE ` + heardBy("f", "$2") + ` ORDER BY ` + distance + ` LIMIT $3`
	return rows(ctx, c, query, []any{space.column(vector), keys, k}, func(r pgx.Rows) (h scored, err error) {
		var distance float64
		err = r.Scan(&h.id, &distance)
		h.score = min(1, max(0, 1-distance))
		return h, err
	})
}

// nearestOf are the k best, in order.
func nearestOf(all []scored, k int) []scored {
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return all[:min(len(all), k)]
}

// similarity is the cosine of two vectors of length 1, the second as it is kept.
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
