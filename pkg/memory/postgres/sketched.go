package postgres

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

const (
	// sketchedFrom is the number of vectors from which a sketch of them is kept. Fewer can be compared in a
	// few milliseconds.
	sketchedFrom = 8192
	// sketchStep is the number of vectors read at a time.
	sketchStep = 4096
	// fewVectors is the number of new vectors from which a search leaves them to the indexer instead of
	// adding them to the sketch by itself.
	fewVectors = 512
	// A search compares candidatesFor candidates for each requested fact, plus moreCandidates.
	candidatesFor  = 4
	moreCandidates = 48
	// mostCandidates is the maximum number of candidates, reached when the viewer may not see most facts.
	mostCandidates = 4096
)

// sketched is a sketch of the vectors of a space, used if there is no pgvector to find the nearest. A vector
// is written once, with a number that increases in the order of commits. Deleted vectors stay in the sketch,
// but are no longer found in the table.
type sketched struct {
	mu       sync.Mutex // guards the fields below; not held during a query
	table    int64      // the table's oid
	of       *sqlstore.Sketch
	last     int64 // the number of the last vector read
	complete bool  // all vectors have been read once
}

// numberedVector is a row of a table of vectors.
type numberedVector struct {
	n, fact int64
	vector  []float32
}

// vectorsAfter reads up to most vectors after number n, and returns the oid of their table.
func vectorsAfter(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, n int64, most int) (table int64, out []numberedVector, err error) {
	if err := c.Row(ctx, `SELECT to_regclass($1)::oid::bigint`, []any{vectorTable(space.N)}, &table); err != nil {
		return 0, nil, err
	}
	out, err = sqlstore.Rows(ctx, c, `SELECT n, fact, embedding FROM `+vectorTable(space.N)+` WHERE n > $1 ORDER BY n LIMIT $2`, []any{n, most},
		func(r sqlstore.Row) (v numberedVector, err error) {
			var packed []byte
			err = r.Scan(&v.n, &v.fact, &packed)
			v.vector = sqlstore.Floats(packed)
			return v, err
		})
	return table, out, err
}

// addVectors adds the vectors that follow number after in a table. If the sketch is of another table, it starts a
// new one. It reports false without adding any if the sketch does not end at after.
func (k *sketched) addVectors(table, after int64, dimensions int, more []numberedVector) bool {
	if k.of == nil || k.table != table {
		k.table, k.of, k.last, k.complete = table, sqlstore.NewSketch(dimensions), 0, false
	}
	if k.last != after {
		return false
	}
	for _, v := range more {
		k.of.Add(v.fact, v.vector)
		k.last = v.n
	}
	return true
}

func (k *sketched) lastRead() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last
}

// Sketch adds some of the missing vectors to the sketch, and reports whether there may be more.
func (d *dialect) Sketch(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) (more bool, err error) {
	if space.Kind != kindBytes {
		return false, nil
	}
	var last int64
	if err := c.Row(ctx, `SELECT coalesce(max(n), 0) FROM `+vectorTable(space.N), nil, &last); err != nil || last < sketchedFrom {
		return false, err
	}
	after := d.sketched.lastRead()
	table, some, err := vectorsAfter(ctx, c, space, after, sketchStep)
	if err != nil {
		return false, err
	}
	k := &d.sketched
	k.mu.Lock()
	defer k.mu.Unlock()
	fits := k.addVectors(table, after, space.Dims, some)
	k.complete = fits && len(some) < sketchStep
	return !k.complete, nil
}

// candidates returns facts that are probably near to the vector. ok is false if too many vectors are missing
// from the sketch.
func (d *dialect) candidates(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []float32, n int) (ids []int64, ok bool, err error) {
	k := &d.sketched
	k.mu.Lock()
	after, whole := k.last, k.complete
	k.mu.Unlock()
	if !whole {
		return nil, false, nil
	}
	table, some, err := vectorsAfter(ctx, c, space, after, fewVectors)
	if err != nil {
		return nil, false, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(some) == fewVectors || table != k.table {
		k.complete = false
		d.db.signalUnindexed() // the indexer will read them
		return nil, false, nil
	}
	k.addVectors(table, after, space.Dims, some) // no effect if another search has added them
	return k.of.Nearest(vector, n), true, nil
}

// nearestSketched returns the k facts nearest to the vector. It takes candidates from a sketch of all vectors
// and compares those that the viewer may see exactly. ok is false if all vectors have to be compared instead.
func (d *dialect) nearestSketched(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []float32, keys []string, k int) (hits []sqlstore.Scored, ok bool, err error) {
	want := candidatesFor*k + moreCandidates
	for n := want; ; n *= 8 {
		n = min(n, mostCandidates)
		ids, ok, err := d.candidates(ctx, c, space, vector, n)
		if err != nil || !ok {
			return nil, false, err
		}
		hits, err := compareVectors(ctx, c, space, vector, k, `v.fact = ANY ($2) AND `+d.syntax.Heard("f", "$1"), keys, ids)
		switch {
		case err != nil:
			return nil, false, err
		case len(hits) >= min(k, len(ids)) || len(ids) < n:
			return hits, true, nil
		case n == mostCandidates:
			return nil, false, nil
		}
	}
}

// compareVectors compares the vectors of the facts that meet a condition, and returns the k nearest.
func compareVectors(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []float32, k int, condition string, args ...any) ([]sqlstore.Scored, error) {
	var best []sqlstore.Scored
	rs, err := c.(conn).tx.Query(ctx, fmt.Sprintf(`SELECT v.fact, v.embedding FROM %s v JOIN facts f ON f.id = v.fact WHERE %s`, vectorTable(space.N), condition), storableArgs(args)...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var id int64
	var packed pgtype.DriverBytes
	_, err = pgx.ForEachRow(rs, []any{&id, &packed}, func() error {
		best = append(best, sqlstore.Scored{ID: id, Score: min(1, max(0, similarity(vector, packed)))})
		if len(best) >= 4*k+1024 {
			best = nearestOf(best, k)
		}
		return nil
	})
	return nearestOf(best, k), err
}
