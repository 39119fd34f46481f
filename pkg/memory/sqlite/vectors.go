package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// questionShare is the part of a search's remaining time the embedder may use,
// so that a slow vendor leaves time for full text.
const questionShare = 0.6

// embed computes the facts' vectors, at most embedBatch, and stores them. No
// lock and no transaction is held while the embedder works.
func (s *Index) embed(ctx context.Context, todo []pending) error {
	texts := make([]string, len(todo))
	for i, p := range todo {
		texts[i] = p.text
	}
	vectors, dims, err := s.embedTexts(ctx, texts)
	if err != nil {
		return err // which says what was being done
	}
	if err := s.ensureSpace(ctx, dims); err != nil {
		return err
	}
	return s.writeUnsynced(ctx, "storing vectors", func(ctx context.Context, c *conn) error {
		space, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		if space.n == 0 || space.dims != dims {
			return errSpaceChanged
		}
		for i, f := range todo {
			if err := putVector(ctx, c, space.n, f, vectors[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// embedTexts asks the embedder and checks what it says, which is all of one
// length. A vector without a direction becomes nil: nothing is near to it.
func (s *database) embedTexts(ctx context.Context, texts []string) (vectors [][]byte, dims int, err error) {
	got, err := s.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, 0, err
	}
	if len(got) != len(texts) {
		return nil, 0, fmt.Errorf("%s gave %d vectors for %d texts", s.embedder.Name(), len(got), len(texts))
	}
	vectors = make([][]byte, len(got))
	if dims = s.embedder.Dimensions(); dims <= 0 {
		return nil, 0, fmt.Errorf("%s has %d dimensions", s.embedder.Name(), dims)
	}
	for i, v := range got {
		if len(v) != dims {
			return nil, 0, fmt.Errorf("%s gave %d dimensions, not %d", s.embedder.Name(), len(v), dims)
		}
		vectors[i] = pack.Vector(v)
	}
	return vectors, dims, nil
}

// putVector stores one fact's vector unless a concurrent call was faster or
// the fact has gone meanwhile. A nil vector marks the fact as done.
func putVector(ctx context.Context, c *conn, space int64, f pending, vector []byte) error {
	res, err := c.exec(ctx, `UPDATE facts SET embedded = ? WHERE id = ? AND embedded = ? AND text = ?`, space, f.id, f.embedded, f.text)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || vector == nil {
		return err
	}
	_, err = c.exec(ctx, `INSERT INTO `+vectorTable(space)+` (rowid, embedding) VALUES (?, ?)`, f.id, vector)
	return err
}

// embedQuestion returns the question's vector, or nil if it is to be answered
// by full text: without an embedder, or when the embedder fails or dawdles.
func (s *database) embedQuestion(ctx context.Context, text string) ([]byte, error) {
	if s.embedder == nil {
		return nil, nil
	}
	bounded := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, time.Duration(questionShare*float64(time.Until(deadline))))
		defer cancel()
	}
	vectors, _, err := s.embedTexts(bounded, []string{text})
	if err == nil {
		return vectors[0], nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "what is asked is searched by words alone",
		slog.String("embedder", s.embedder.Name()), slog.Any("error", err))
	return nil, nil
}

// nearest returns the k facts nearest to the vector, and the space that was
// searched, 0 if none could be.
func (s *Index) nearest(ctx context.Context, c *conn, vector []byte, viewer string, k int) (hits []scored, searched int64, err error) {
	if vector == nil {
		return nil, 0, nil
	}
	space, err := s.ownSpace(ctx, c)
	if err != nil || space.n == 0 {
		return nil, 0, err
	}
	if hits, ok, err := s.nearestSketched(ctx, c, space, vector, viewer, k); ok || err != nil {
		return hits, space.n, err
	}
	query := `SELECT rowid, distance FROM ` + vectorTable(space.n) + ` WHERE embedding MATCH ? AND k = ?`
	args := []any{vector, k}
	if viewer != "" {
		secrets := false
		if err := c.row(ctx, `SELECT EXISTS (SELECT 1 FROM facts WHERE audience > 0)`, nil, &secrets); err != nil {
			return nil, 0, err
		}
		if secrets {
			query += ` AND rowid IN (SELECT f.id FROM facts f WHERE ` + visibleFact + `)`
			args = append(args, s.viewerKeys(viewer))
		}
	}
	hits, err = rows(ctx, c, query+` ORDER BY distance`, args, scanDistance)
	return hits, space.n, err
}

func scanDistance(r *sql.Rows) (h scored, err error) {
	var distance float64
	err = r.Scan(&h.id, &distance)
	h.score = min(1, max(0, 1-distance))
	return h, err
}
