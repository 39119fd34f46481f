package sqlite

import (
	"context"
	"database/sql"
)

// LoadState returns everything kept in a space, by key.
func (s *State) LoadState(ctx context.Context, space string) (map[string][]byte, error) {
	type pair struct {
		key   string
		value []byte
	}
	state := map[string][]byte{}
	err := s.read(ctx, "reading state", func(c *conn) error {
		all, err := rows(ctx, c, `SELECT key, value FROM state WHERE space = ?`, []any{space}, func(r *sql.Rows) (p pair, err error) {
			err = r.Scan(&p.key, &p.value)
			return p, err
		})
		for _, p := range all {
			state[p.key] = p.value
		}
		return err
	})
	return state, err
}

// StateSpaces lists the spaces in which something is kept and whose names begin with
// prefix, by name.
func (s *State) StateSpaces(ctx context.Context, prefix string) ([]string, error) {
	var spaces []string
	err := s.read(ctx, "listing state", func(c *conn) (err error) {
		spaces, err = rows(ctx, c, `SELECT DISTINCT space FROM state WHERE space >= ?1 AND substr(space, 1, length(?1)) = ?1 ORDER BY space`,
			[]any{prefix}, func(r *sql.Rows) (space string, err error) {
				err = r.Scan(&space)
				return space, err
			})
		return err
	})
	return spaces, err
}

// SaveState keeps values in a space, in one transaction; a nil value removes
// its key. Keys that are not mentioned stay.
func (s *State) SaveState(ctx context.Context, space string, values map[string][]byte) error {
	if len(values) == 0 {
		return nil
	}
	return s.write(ctx, "keeping state", func(ctx context.Context, c *conn) error {
		return saveState(ctx, c, space, values)
	})
}

func saveState(ctx context.Context, c *conn, space string, values map[string][]byte) error {
	for key, value := range values {
		var err error
		if value == nil {
			_, err = c.exec(ctx, `DELETE FROM state WHERE space = ? AND key = ?`, space, key)
		} else {
			_, err = c.exec(ctx, `INSERT INTO state (space, key, value) VALUES (?, ?, ?)
				ON CONFLICT (space, key) DO UPDATE SET value = excluded.value`, space, key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
