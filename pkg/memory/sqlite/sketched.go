package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

const (
	// sketchedFrom is the number of vectors from which a sketch of them is kept. Fewer can be compared in a
	// few milliseconds.
	sketchedFrom = 8192
	// sketchStep is the number of chunks of vectors read at a time.
	sketchStep = 16
	// fewChunks is the number of new chunks that a search adds to the sketch by itself.
	fewChunks = 2
	// A search compares candidatesFor candidates for each requested fact, plus moreCandidates.
	candidatesFor  = 2
	moreCandidates = 24
	// mostCandidates is the maximum number of candidates, reached when the viewer may not see most facts.
	mostCandidates = 4096
)

// sketched is a sketch of the vectors of a space. A vector is written once, into the last chunk of its table
// or a new one. Deleted vectors stay in the sketch, but are no longer found in the table.
type sketched struct {
	mu       sync.Mutex // guards the fields below
	space    int64
	of       *sqlstore.Sketch
	last     vectorChunk // the last chunk read
	complete bool        // all chunks have been read once
}

// vectorChunk is a row of the shadow tables behind a vector table: which slots are in use, by which facts,
// and the vectors.
type vectorChunk struct {
	id              int64
	validity, facts []byte
	vectors         []byte
}

// fact returns the fact in a slot, or 0 if the slot is free.
func (v *vectorChunk) fact(i int) int64 {
	if i/8 >= len(v.validity) || v.validity[i/8]&(1<<(i%8)) == 0 {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(v.facts[8*i:]))
}

// chunks reads up to most chunks, beginning with the chunk from.
func chunks(ctx context.Context, c sqlstore.Conn, space, from int64, most int) ([]vectorChunk, error) {
	table := vectorTable(space)
	return sqlstore.Rows(ctx, c, fmt.Sprintf(`SELECT c.chunk_id, c.validity, c.rowids, v.vectors FROM %s_chunks c
		JOIN %[1]s_vector_chunks00 v ON v.rowid = c.chunk_id WHERE c.chunk_id >= ? ORDER BY c.chunk_id LIMIT ?`, table),
		[]any{from, most}, func(r sqlstore.Row) (v vectorChunk, err error) {
			return v, r.Scan(&v.id, &v.validity, &v.facts, &v.vectors)
		})
}

// addVectors adds the new vectors of a chunk.
func (s *sketched) addVectors(next vectorChunk, dimensions int) {
	known := vectorChunk{}
	if next.id == s.last.id {
		known = s.last
	}
	v := make([]float32, dimensions)
	for i := range len(next.validity) * 8 {
		fact := next.fact(i)
		if fact == 0 || fact == known.fact(i) || 4*dimensions*(i+1) > len(next.vectors) {
			continue
		}
		for j := range v {
			v[j] = math.Float32frombits(binary.LittleEndian.Uint32(next.vectors[4*(i*dimensions+j):]))
		}
		s.of.Add(fact, v)
	}
	next.vectors = nil
	s.last = next
}

// Sketch adds some of the missing vectors to the sketch, and reports whether there may be more.
func (d *dialect) Sketch(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) (more bool, err error) {
	var last int64
	if err := c.Row(ctx, `SELECT coalesce(max(chunk_id), 0) FROM `+vectorTable(space.N)+`_chunks`, nil, &last); err != nil || last*256 < sketchedFrom {
		return false, err
	}
	k := &d.sketched
	k.mu.Lock()
	defer k.mu.Unlock()
	k.begin(space)
	some, err := chunks(ctx, c, space.N, k.last.id, sketchStep)
	if err != nil {
		return false, err
	}
	for _, v := range some {
		k.addVectors(v, space.Dims)
	}
	k.complete = k.last.id >= last
	return !k.complete, nil
}

// begin starts a new sketch if the current one is of another space.
func (s *sketched) begin(space sqlstore.Space) {
	if s.of == nil || s.space != space.N {
		s.space, s.of, s.last, s.complete = space.N, sqlstore.NewSketch(space.Dims), vectorChunk{}, false
	}
}

// candidates returns facts that are probably near to the vector. ok is false if too many vectors are missing
// from the sketch.
func (d *dialect) candidates(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []byte, n int) (ids []int64, ok bool, err error) {
	k := &d.sketched
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.complete || k.space != space.N {
		return nil, false, nil
	}
	known, err := sqlstore.Rows(ctx, c, fmt.Sprintf(`SELECT chunk_id, validity, rowids FROM %s_chunks WHERE chunk_id >= ? ORDER BY chunk_id LIMIT ?`, vectorTable(space.N)),
		[]any{k.last.id, fewChunks + 1}, func(r sqlstore.Row) (v vectorChunk, err error) {
			return v, r.Scan(&v.id, &v.validity, &v.facts)
		})
	if err != nil {
		return nil, false, err
	}
	if len(known) == 0 || len(known) > fewChunks {
		k.complete = false
		if len(known) == 0 { // the table was recreated
			k.of = nil
		}
		d.db.signalUnindexed() // the indexer will read them
		return nil, false, nil
	}
	if len(known) > 1 || len(known) == 1 && !(known[0].id == k.last.id && bytes.Equal(known[0].facts, k.last.facts) && bytes.Equal(known[0].validity, k.last.validity)) {
		some, err := chunks(ctx, c, space.N, k.last.id, fewChunks)
		if err != nil {
			return nil, false, err
		}
		for _, v := range some {
			k.addVectors(v, space.Dims)
		}
	}
	asked := make([]float32, len(vector)/4)
	for i := range asked {
		asked[i] = math.Float32frombits(binary.LittleEndian.Uint32(vector[4*i:]))
	}
	return k.of.Nearest(asked, n), true, nil
}

// nearestSketched returns the k facts nearest to the vector. It takes candidates from a sketch of all vectors
// and compares those that the viewer may see exactly. ok is false if all vectors have to be compared instead.
func (d *dialect) nearestSketched(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []byte, keys []string, k int) (hits []sqlstore.Scored, ok bool, err error) {
	want := candidatesFor*k + moreCandidates
	for n := 2 * want; ; n *= 8 {
		n = min(n, mostCandidates)
		ids, ok, err := d.candidates(ctx, c, space, vector, n)
		if err != nil || !ok {
			return nil, false, err
		}
		more := len(ids) == n
		if ids, err = d.seenFacts(ctx, c, ids, keys); err != nil {
			return nil, false, err
		}
		if len(ids) < want && more {
			if n == mostCandidates {
				return nil, false, nil
			}
			continue
		}
		hits, err = sqlstore.Rows(ctx, c, `SELECT v.rowid, vec_distance_cosine(v.embedding, $1) distance FROM json_each($2) j
			CROSS JOIN `+vectorTable(space.N)+` v ON v.rowid = j.value ORDER BY distance LIMIT $3`, []any{vector, ids[:min(want, len(ids))], k}, scanDistance)
		return hits, err == nil, err
	}
}

// seenFacts returns those of the facts that the viewer may see, in the same order.
func (d *dialect) seenFacts(ctx context.Context, c sqlstore.Conn, ids []int64, keys []string) ([]int64, error) {
	return sqlstore.Rows(ctx, c, `SELECT f.id FROM json_each($1) j CROSS JOIN facts f ON f.id = j.value WHERE `+d.syntax.Heard("f", "$2")+` ORDER BY j.key`,
		[]any{ids, keys}, sqlstore.ScanID)
}
