package sqlite

import (
	"context"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// vectorTable returns the name of a space's table of vectors.
func vectorTable(n int64) string {
	if n == 1 {
		return "fact_vectors" // the name from before there were several spaces
	}
	return fmt.Sprintf("fact_vectors_%d", n)
}

func (d *dialect) MakeSpace(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) error {
	err := c.(*conn).script(ctx, fmt.Sprintf(`CREATE VIRTUAL TABLE %s USING vec0 (embedding float[%d] distance_metric=cosine, chunk_size=256)`,
		vectorTable(space.N), space.Dims))
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, `INSERT INTO vector_spaces (n, name, dims) VALUES ($1, $2, $3)`, space.N, space.Name, space.Dims)
	return err
}

// DropSpaces deletes spaces. Dropping a table of hundreds of megabytes would block writers for seconds, so
// its rows are deleted first, a few at a time.
func (d *dialect) DropSpaces(ctx context.Context, numbers []int64) error {
	for _, n := range numbers {
		table := vectorTable(n)
		// The shadow tables of the vector table, starting with the one by which vectors are found, so that no
		// query looks for a deleted vector.
		for _, part := range []struct {
			name string
			rows int
		}{{table + "_rowids", 4096}, {table + "_vector_chunks00", 4}, {table + "_chunks", 256}} {
			for more := true; more; {
				err := d.db.writeUnsynced(ctx, "dropping old vectors", func(ctx context.Context, c *conn) (err error) {
					more, err = deleteRows(ctx, c, part.name, part.rows)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		err := d.db.write(ctx, "dropping old vectors", func(ctx context.Context, c *conn) error {
			if err := c.script(ctx, `DROP TABLE IF EXISTS `+table); err != nil {
				return err
			}
			_, err := c.Exec(ctx, `DELETE FROM vector_spaces WHERE n = ?`, n)
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
	err = c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)`, []any{table}, &more)
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

func (d *dialect) InsertVector(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, fact int64, vector []float32) error {
	packed := sqlstore.Vector(vector)
	if packed == nil {
		return nil
	}
	_, err := c.Exec(ctx, `INSERT INTO `+vectorTable(space.N)+` (rowid, embedding) VALUES (?, ?)`, fact, packed)
	return err
}

func (d *dialect) CountVectors(ctx context.Context, c sqlstore.Conn, space sqlstore.Space) (n int64, err error) {
	return n, c.Row(ctx, `SELECT count(*) FROM `+vectorTable(space.N), nil, &n)
}

func (d *dialect) Nearest(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, vector []float32, keys []string, k int) ([]sqlstore.Scored, error) {
	packed := sqlstore.Vector(vector)
	if hits, ok, err := d.nearestSketched(ctx, c, space, packed, keys, k); ok || err != nil {
		return hits, err
	}
	query := `SELECT rowid, distance FROM ` + vectorTable(space.N) + ` WHERE embedding MATCH $1 AND k = $2`
	args := []any{packed, k}
	if !sqlstore.SeesAll(keys) {
		secrets := false
		if err := c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM facts WHERE audience > 0)`, nil, &secrets); err != nil {
			return nil, err
		}
		if secrets {
			query += ` AND rowid IN (SELECT f.id FROM facts f WHERE ` + d.syntax.Heard("f", "$3") + `)`
			args = append(args, keys)
		}
	}
	return sqlstore.Rows(ctx, c, query+` ORDER BY distance`, args, scanDistance)
}

func scanDistance(r sqlstore.Row) (h sqlstore.Scored, err error) {
	var distance float64
	err = r.Scan(&h.ID, &distance)
	h.Score = min(1, max(0, 1-distance))
	return h, err
}

func (d *dialect) LineVectors(ctx context.Context, c sqlstore.Conn, space sqlstore.Space, ids []int64) (map[int64][]float32, error) {
	out := make(map[int64][]float32, len(ids))
	err := c.Each(ctx, `SELECT l.id, v.embedding FROM json_each($1) j CROSS JOIN lines l ON l.id = j.value JOIN sessions s ON s.n = l.session
		CROSS JOIN facts f ON f.source = 'session:' || s.id AND f.text = l.speaker || ': ' || l.text AND f.embedded = $2
		CROSS JOIN `+vectorTable(space.N)+` v ON v.rowid = f.id`, []any{ids, space.N}, func(r sqlstore.Row) error {
		var id int64
		var packed []byte
		err := r.Scan(&id, &packed)
		out[id] = sqlstore.Floats(packed)
		return err
	})
	return out, err
}
