package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/embedder"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

const (
	// lineBatch is how many lines get their facts in one transaction: others
	// wait for no longer than a few milliseconds.
	lineBatch = 64
	// embedBatch is how many facts are embedded and stored at a time: what a
	// vendor accepts, and little to lose.
	embedBatch = 64
)

// Unindexed has a value when something was written that [Index.IndexLines] or
// [Index.EmbedFacts] should see to. It is for one reader.
func (s *Index) Unindexed() <-chan struct{} { return s.unindexed }

// Backlog counts what [Index.IndexLines] and [Index.EmbedFacts] have left to do.
func (s *Index) Backlog(ctx context.Context) (n int, err error) {
	err = s.readSnapshot(ctx, "counting what is not indexed", func(c *conn) error {
		own, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		from := int64(math.MaxInt64) // all facts are without a vector of this embedder
		switch {
		case s.embedder == nil:
			from = math.MinInt64
		case own.n != 0:
			from = own.n
		}
		return c.row(ctx, `SELECT (SELECT count(*) FROM lines WHERE id > (SELECT line FROM indexed_lines)) +
			(SELECT count(*) FROM facts WHERE embedded < ?)`, []any{from}, &n)
	})
	return n, err
}

// IndexLines makes the facts of the oldest lines that have none, a few dozen at
// a time, and returns how many lines it has seen to, 0 when there are no more.
// It goes on where it was the last time, after a restart too. What a line says
// at this moment counts.
func (s *Index) IndexLines(ctx context.Context) (int, error) {
	more := false
	err := s.read(ctx, "looking for new lines", func(c *conn) error {
		return c.row(ctx, `SELECT EXISTS (SELECT 1 FROM lines WHERE id > (SELECT line FROM indexed_lines))`, nil, &more)
	})
	if err == nil && !more {
		err = s.remindOfLines(ctx)
	}
	if err != nil || !more {
		return 0, err
	}
	n := 0
	err = s.writeUnsynced(ctx, "indexing lines", func(ctx context.Context, c *conn) error {
		next, err := rows(ctx, c, `SELECT `+lineColumns+` FROM lines l JOIN sessions s ON s.n = l.session
			WHERE l.id > (SELECT line FROM indexed_lines) ORDER BY l.id `+limitParam, []any{lineBatch}, scanLine)
		if n = len(next); err != nil || n == 0 {
			return err
		}
		last := next[n-1].ID
		if next, err = hideLines(ctx, c, next, sameLine); err != nil {
			return err
		}
		for _, l := range next {
			if _, err := putFact(ctx, c, memory.FactOf(l)); err != nil {
				return err
			}
		}
		_, err = c.exec(ctx, `UPDATE indexed_lines SET line = ?`, last)
		return err
	})
	return n, err
}

// forgetIndexed makes up for lines that were deleted: their ids may come again.
func forgetIndexed(ctx context.Context, c *conn) error {
	_, err := c.exec(ctx, `UPDATE indexed_lines SET line = min(line, (SELECT coalesce(max(id), 0) FROM lines))`)
	return err
}

// EmbedFacts gives the newest facts without a vector of the embedder in use
// their vectors, a few dozen at a time, and returns how many it has seen to, 0
// when there are no more. After a change of embedder those are all facts. What
// the embedder refuses is left to the full text until there is another embedder.
// It does nothing without one.
func (s *Index) EmbedFacts(ctx context.Context) (int, error) {
	if s.embedder == nil {
		return 0, nil
	}
	var todo []pending
	err := s.readSnapshot(ctx, "listing facts without a vector", func(c *conn) (err error) {
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

// finishVectors does what is left when all facts have their vectors.
func (s *Index) finishVectors(ctx context.Context) error {
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

// pendingFacts lists some facts without a vector of the embedder in use: first
// those that have none at all, then those with an earlier embedder's.
func (s *Index) pendingFacts(ctx context.Context, c *conn) ([]pending, error) {
	own, err := s.ownSpace(ctx, c)
	if err != nil {
		return nil, err
	}
	spaces, err := rows(ctx, c, `SELECT n FROM vector_spaces WHERE n <> ? ORDER BY n DESC`, []any{own.n}, scanID)
	if err != nil {
		return nil, err
	}
	from := []int64{0}
	for _, n := range spaces {
		from = append(from, n, -n)
	}
	for _, embedded := range from {
		todo, err := rows(ctx, c, `SELECT id, text, embedded FROM facts WHERE embedded = ? ORDER BY id DESC `+limitParam,
			[]any{embedded, embedBatch}, func(r *sql.Rows) (p pending, err error) {
				return p, r.Scan(&p.id, &p.text, &p.embedded)
			})
		if err != nil || len(todo) > 0 {
			return todo, err
		}
	}
	return nil, nil
}

// embedRefused finds out which of the facts the embedder refuses, unless it
// refuses everything, and why it refused them all.
func (s *Index) embedRefused(ctx context.Context, todo []pending, why error) error {
	_, dims, err := embedder.Texts(ctx, s.embedder, []string{"Good evening."})
	if err != nil {
		return why
	}
	if err := s.ensureSpace(ctx, dims); err != nil {
		return err
	}
	return embedder.AroundRefused(todo, func(some []pending) error { return s.embed(ctx, some) }, func(f pending, why error) error {
		s.log.Warn("a fact is found by full text alone", "fact", f.id, "reason", why)
		return s.markRefused(ctx, f)
	})
}

// markRefused keeps a fact from being given to the embedder again.
func (s *Index) markRefused(ctx context.Context, f pending) error {
	return s.writeUnsynced(ctx, "storing vectors", func(ctx context.Context, c *conn) error {
		own, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		if own.n == 0 {
			return fmt.Errorf("storing vectors: %w", errSpaceChanged)
		}
		return putVector(ctx, c, -own.n, f, nil)
	})
}
