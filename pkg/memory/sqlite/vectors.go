package sqlite

import (
	"context"
	"database/sql"

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
	return s.writeUnsynced(ctx, "storing vectors", func(ctx context.Context, c *conn) error {
		space, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		if space.n == 0 || space.dims != dims {
			return errSpaceChanged
		}
		for i, f := range todo {
			if err := putVector(ctx, c, space.n, f, pack.Vector(vectors[i])); err != nil {
				return err
			}
		}
		return nil
	})
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
