package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

const (
	// lineBatch is the number of lines indexed in one transaction. It is small so that other writers wait
	// only a few milliseconds.
	lineBatch = 64
	// embedBatch is the number of facts embedded and stored at a time. Vendors accept this many texts in one
	// request, and little work is lost if it fails.
	embedBatch = 64
)

// Semantic reports whether facts are found by meaning, not by full text alone.
func (s *Store) Semantic() bool { return s.embedder != nil }

// Unindexed receives a value when something was written that [Store.IndexLines] or [Store.EmbedFacts] should
// handle. It supports one reader.
func (s *Store) Unindexed() <-chan struct{} { return s.unindexed }

// Backlog counts what [Store.IndexLines] and [Store.EmbedFacts] still have to do.
func (s *Store) Backlog(ctx context.Context) (n int, err error) {
	err = s.d.ReadSnapshot(ctx, "counting what is not indexed", func(c Conn) error {
		own, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		from := int64(math.MaxInt64) // no fact has a vector of this embedder
		switch {
		case s.embedder == nil:
			from = math.MinInt64
		case own.N != 0:
			from = own.N
		}
		return c.Row(ctx, `SELECT (SELECT count(*) FROM lines WHERE id > (SELECT line FROM indexed_lines)) +
			(SELECT count(*) FROM facts WHERE embedded < $1)`, []any{from}, &n)
	})
	return n, err
}

// IndexLines creates the facts of the oldest lines without one, a few dozen at a time, and returns how many
// lines it handled; 0 when none are left. It continues where it stopped, also after a restart. It uses the
// current text of each line.
func (s *Store) IndexLines(ctx context.Context) (int, error) {
	more := false
	err := s.d.Read(ctx, "looking for new lines", func(c Conn) error {
		return c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM lines WHERE id > (SELECT line FROM indexed_lines))`, nil, &more)
	})
	if err == nil && !more {
		err = s.refreshLineCache(ctx)
	}
	if err != nil || !more {
		return 0, err
	}
	n := 0
	err = s.d.WriteUnsynced(ctx, "indexing lines", func(ctx context.Context, c Conn) error {
		next, err := Rows(ctx, c, s.sql.nextLines, []any{lineBatch}, scanLine)
		if n = len(next); err != nil || n == 0 {
			return err
		}
		hidden, err := s.d.Hidden(ctx, c)
		if err != nil {
			return err
		}
		for _, l := range next {
			if hidden != nil && hidden(l) {
				continue
			}
			if _, err := s.putFact(ctx, c, memory.FactOf(l)); err != nil {
				return err
			}
		}
		_, err = c.Exec(ctx, `UPDATE indexed_lines SET line = $1`, next[n-1].ID)
		return err
	})
	return n, err
}

// EmbedFacts computes the vectors of the newest facts that have none of the current embedder, a few dozen at
// a time, and returns how many facts it handled; 0 when none are left. After a change of embedder, all facts
// are due. Texts that the embedder rejects are found by full text alone until the embedder changes. Without
// an embedder, it does nothing.
func (s *Store) EmbedFacts(ctx context.Context) (int, error) {
	if s.embedder == nil {
		return 0, nil
	}
	var todo []pending
	err := s.d.ReadSnapshot(ctx, "listing facts without a vector", func(c Conn) (err error) {
		todo, err = s.pendingFacts(ctx, c)
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(todo) == 0 {
		return 0, s.finishVectors(ctx)
	}
	err = s.embed(ctx, todo)
	if errors.Is(err, embeddings.ErrRejected) {
		err = s.embedRefused(ctx, todo, err)
	}
	if err == nil {
		err = s.senseLines(ctx, 2*embedBatch)
	}
	if err != nil {
		return 0, err
	}
	return len(todo), nil
}

// finishVectors does the remaining work once all facts have vectors.
func (s *Store) finishVectors(ctx context.Context) error {
	if err := s.dropEarlierSpaces(ctx); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.sketchVectors(ctx); err != nil {
			return err
		}
	}
	return s.senseLines(ctx, 0)
}

func (s *Store) sketchVectors(ctx context.Context) (more bool, err error) {
	err = s.d.Read(ctx, "sketching vectors", func(c Conn) error {
		space, err := s.ownSpace(ctx, c)
		if err != nil || space.N == 0 {
			return err
		}
		more, err = s.d.Sketch(ctx, c, space)
		return err
	})
	return more, err
}

// pendingFacts lists a batch of facts without a vector of the current embedder: first those without any
// vector, then those with a vector of an earlier embedder.
func (s *Store) pendingFacts(ctx context.Context, c Conn) ([]pending, error) {
	own, err := s.ownSpace(ctx, c)
	if err != nil {
		return nil, err
	}
	spaces, err := Rows(ctx, c, `SELECT n FROM vector_spaces WHERE n <> $1 ORDER BY n DESC`, []any{own.N}, ScanID)
	if err != nil {
		return nil, err
	}
	from := []int64{0}
	for _, n := range spaces {
		from = append(from, n, -n)
	}
	for _, embedded := range from {
		todo, err := Rows(ctx, c, `SELECT id, text, embedded FROM facts WHERE embedded = $1 ORDER BY id DESC LIMIT $2`,
			[]any{embedded, embedBatch}, func(r Row) (p pending, err error) {
				err = r.Scan(&p.id, &p.text, &p.embedded)
				return p, err
			})
		if err != nil || len(todo) > 0 {
			return todo, err
		}
	}
	return nil, nil
}

// embed computes and stores the vectors of at most embedBatch facts. It holds no lock and no transaction
// while the embedder works.
func (s *Store) embed(ctx context.Context, todo []pending) error {
	texts := make([]string, len(todo))
	for i, p := range todo {
		texts[i] = p.text
	}
	vectors, dims, err := embedTexts(ctx, s.embedder, texts)
	if err != nil {
		return err // the error already names the operation
	}
	if err := s.ensureSpace(ctx, dims); err != nil {
		return err
	}
	return s.d.WriteUnsynced(ctx, "storing vectors", func(ctx context.Context, c Conn) error {
		space, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		if space.N == 0 || space.Dims != dims {
			return errSpaceChanged
		}
		for i, f := range todo {
			if err := s.putVector(ctx, c, space, f, vectors[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// putVector stores the vector of a fact, unless a concurrent call has done so or the fact has changed or been
// deleted. A nil vector only marks the fact as done.
func (s *Store) putVector(ctx context.Context, c Conn, space Space, f pending, vector []float32) error {
	n, err := c.Exec(ctx, `UPDATE facts SET embedded = $1 WHERE id = $2 AND embedded = $3 AND text = $4`, space.N, f.id, f.embedded, f.text)
	if err != nil || n == 0 || vector == nil {
		return err
	}
	return s.d.InsertVector(ctx, c, space, f.id, vector)
}

// embedRefused determines which of the facts the embedder rejects and marks them. If the embedder rejects
// even a harmless text, it returns why instead.
func (s *Store) embedRefused(ctx context.Context, todo []pending, why error) error {
	_, dims, err := embedTexts(ctx, s.embedder, []string{"Good evening."})
	if err != nil {
		return why
	}
	if err := s.ensureSpace(ctx, dims); err != nil {
		return err
	}
	return embedAroundRefused(todo, func(some []pending) error { return s.embed(ctx, some) }, func(f pending, why error) error {
		s.log.Warn("a fact is found by full text alone", "fact", f.id, "reason", why)
		return s.markRefused(ctx, f)
	})
}

// markRefused records that the embedder rejected a fact, so that the fact is not sent again.
func (s *Store) markRefused(ctx context.Context, f pending) error {
	return s.d.WriteUnsynced(ctx, "storing vectors", func(ctx context.Context, c Conn) error {
		own, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		if own.N == 0 {
			return fmt.Errorf("storing vectors: %w", errSpaceChanged)
		}
		return s.putVector(ctx, c, Space{N: -own.N}, f, nil)
	})
}
