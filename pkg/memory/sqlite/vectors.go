package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"
)

const (
	// embedBatch is how many facts are embedded and stored at a time: what a
	// vendor accepts, and little to lose.
	embedBatch = 64
	// questionShare is the part of a search's remaining time the embedder may
	// use, so that a slow vendor leaves time for full text.
	questionShare = 0.6
)

// errSpaceChanged means that another process uses the file with another
// embedder.
var errSpaceChanged = errors.New("the vectors belong to another embedder by now")

// Reindex gives every fact without a vector its vector and returns how many
// facts that were. After a change of embedder that is all of them: the old
// vectors are dropped first. It does nothing without an embedder and may be
// cancelled and repeated.
func (s *Store) Reindex(ctx context.Context) (int, error) {
	if s.embedder == nil {
		return 0, nil
	}
	if err := s.ensureSpace(ctx); err != nil {
		return 0, err
	}
	done := 0
	for last := int64(0); ; {
		var todo []pending
		err := s.read(ctx, "listing facts without a vector", func(c *conn) (err error) {
			todo, err = rows(ctx, c, `SELECT id, text FROM facts WHERE embedded = 0 AND id > ? ORDER BY id `+limitParam,
				[]any{last, embedBatch}, func(r *sql.Rows) (p pending, err error) {
					return p, r.Scan(&p.id, &p.text)
				})
			return err
		})
		if err != nil || len(todo) == 0 {
			return done, err
		}
		if err := s.embed(ctx, todo); err != nil {
			return done, err
		}
		done += len(todo)
		last = todo[len(todo)-1].id
	}
}

// embed computes the facts' vectors and stores them, batch by batch. No lock
// and no transaction is held while the embedder works.
func (s *Store) embed(ctx context.Context, todo []pending) error {
	if len(todo) == 0 {
		return nil
	}
	if err := s.ensureSpace(ctx); err != nil {
		return err
	}
	for batch := range slices.Chunk(todo, embedBatch) {
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = p.text
		}
		vectors, err := s.vectors(ctx, texts)
		if err != nil {
			return fmt.Errorf("embedding facts, which are found by full text until then: %w", err)
		}
		if err := s.putVectors(ctx, batch, vectors); err != nil {
			return err
		}
	}
	return nil
}

// vectors asks the embedder and checks what it says. A vector without a
// direction becomes nil: nothing is near to it.
func (s *Store) vectors(ctx context.Context, texts []string) ([][]byte, error) {
	got, err := s.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(got) != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d texts", s.embedder.Name(), len(got), len(texts))
	}
	out := make([][]byte, len(got))
	for i, v := range got {
		if len(v) != s.embedder.Dimensions() {
			return nil, fmt.Errorf("%s gave %d dimensions, not %d", s.embedder.Name(), len(v), s.embedder.Dimensions())
		}
		out[i] = packVector(v)
	}
	return out, nil
}

// packVector encodes v, scaled to length 1, as the vector table takes it.
func packVector(v []float32) []byte {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil
	}
	norm := math.Sqrt(square)
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(float64(x)/norm)))
	}
	return out
}

// putVectors stores the vectors of facts that have none yet.
func (s *Store) putVectors(ctx context.Context, facts []pending, vectors [][]byte) error {
	return s.write(ctx, "storing vectors", func(ctx context.Context, c *conn) error {
		ours, err := s.ownsSpace(ctx, c)
		if err != nil {
			return err
		}
		if !ours {
			return errSpaceChanged
		}
		for i, f := range facts {
			if err := putVector(ctx, c, f, vectors[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// putVector stores one fact's vector unless a concurrent call was faster or
// the fact has gone meanwhile. A nil vector marks the fact as done.
func putVector(ctx context.Context, c *conn, f pending, vector []byte) error {
	res, err := c.exec(ctx, `UPDATE facts SET embedded = 1 WHERE id = ? AND embedded = 0 AND text = ?`, f.id, f.text)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || vector == nil {
		return err
	}
	_, err = c.exec(ctx, `INSERT INTO fact_vectors (rowid, embedding) VALUES (?, ?)`, f.id, vector)
	return err
}

// ensureSpace makes the vector table fit the embedder. If it was made for
// another one, it is made anew and every fact is without a vector again.
func (s *Store) ensureSpace(ctx context.Context) error {
	var ours bool
	err := s.read(ctx, "checking vectors", func(c *conn) (err error) {
		ours, err = s.ownsSpace(ctx, c)
		return err
	})
	if err != nil || ours {
		return err
	}
	dims := s.embedder.Dimensions()
	if dims <= 0 {
		return fmt.Errorf("%s has %d dimensions", s.embedder.Name(), dims)
	}
	return s.write(ctx, "preparing vectors", func(ctx context.Context, c *conn) error {
		if ours, err := s.ownsSpace(ctx, c); err != nil || ours {
			return err
		}
		err := c.script(ctx, fmt.Sprintf(`DROP TABLE IF EXISTS fact_vectors;
			CREATE VIRTUAL TABLE fact_vectors USING vec0 (embedding float[%d] distance_metric=cosine, chunk_size=256);
			UPDATE facts SET embedded = 0 WHERE embedded <> 0`, dims))
		if err != nil {
			return err
		}
		_, err = c.exec(ctx, `INSERT INTO vector_space (only, name, dims) VALUES (1, ?, ?)
			ON CONFLICT (only) DO UPDATE SET name = excluded.name, dims = excluded.dims`, s.embedder.Name(), dims)
		return err
	})
}

// ownsSpace reports whether the vector table was made for this embedder.
func (s *Store) ownsSpace(ctx context.Context, c *conn) (bool, error) {
	var name string
	var dims int
	err := c.row(ctx, `SELECT name, dims FROM vector_space`, nil, &name, &dims)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return name == s.embedder.Name() && dims == s.embedder.Dimensions(), err
}

// embedQuestion returns the question's vector, or nil if it is to be answered
// by full text: without an embedder, or when the embedder fails or dawdles.
func (s *Store) embedQuestion(ctx context.Context, text string) ([]byte, error) {
	if s.embedder == nil {
		return nil, nil
	}
	bounded := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, time.Duration(questionShare*float64(time.Until(deadline))))
		defer cancel()
	}
	vs, err := s.vectors(bounded, []string{text})
	if err == nil {
		return vs[0], nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "facts are searched by full text",
		slog.String("embedder", s.embedder.Name()), slog.Any("error", err))
	return nil, nil
}

// nearest returns the k facts nearest to the vector, and whether the facts
// with a vector could be searched by it.
func (s *Store) nearest(ctx context.Context, c *conn, vector []byte, viewer string, k int) (hits []scored, searched bool, err error) {
	if vector == nil {
		return nil, false, nil
	}
	if ours, err := s.ownsSpace(ctx, c); err != nil || !ours {
		return nil, false, err
	}
	query := `SELECT rowid, distance FROM fact_vectors WHERE embedding MATCH ? AND k = ?`
	args := []any{vector, k}
	if viewer != "" {
		secrets := false
		if err := c.row(ctx, `SELECT EXISTS (SELECT 1 FROM facts WHERE visible <> '')`, nil, &secrets); err != nil {
			return nil, false, err
		}
		if secrets {
			query += ` AND rowid IN (SELECT f.id FROM facts f WHERE ` + visibleFact + `)`
			args = append(args, viewerKey(viewer))
		}
	}
	hits, err = rows(ctx, c, query+` ORDER BY distance`, args, func(r *sql.Rows) (h scored, err error) {
		var distance float64
		err = r.Scan(&h.id, &distance)
		h.score = min(1, max(0, 1-distance))
		return h, err
	})
	return hits, err == nil, err
}
