package sqlstore

import "context"

// LoadState returns all values of a space, by key.
func (s *Store) LoadState(ctx context.Context, space string) (map[string][]byte, error) {
	state := map[string][]byte{}
	err := s.d.Read(ctx, "reading state", func(c Conn) error {
		clear(state)
		return c.Each(ctx, `SELECT key, value FROM state WHERE space = $1`, []any{space}, func(r Row) error {
			var key string
			var value []byte
			err := r.Scan(&key, &value)
			state[key] = value
			return err
		})
	})
	return state, err
}

// StateSpaces lists the non-empty spaces whose names begin with prefix, sorted by name.
func (s *Store) StateSpaces(ctx context.Context, prefix string) (spaces []string, err error) {
	err = s.d.Read(ctx, "listing state", func(c Conn) (err error) {
		spaces, err = Rows(ctx, c, `SELECT DISTINCT space FROM state WHERE space >= $1 AND substr(space, 1, length($1)) = $1 ORDER BY space`,
			[]any{prefix}, ScanText)
		return err
	})
	return spaces, err
}

// SaveState saves values in a space, in one transaction. A nil value deletes its key; other keys are
// unchanged.
func (s *Store) SaveState(ctx context.Context, space string, values map[string][]byte) error {
	if len(values) == 0 {
		return nil
	}
	return s.d.Write(ctx, "keeping state", func(ctx context.Context, c Conn) error {
		return saveState(ctx, c, space, values)
	})
}

func saveState(ctx context.Context, c Conn, space string, values map[string][]byte) error {
	for key, value := range values {
		var err error
		if value == nil {
			_, err = c.Exec(ctx, `DELETE FROM state WHERE space = $1 AND key = $2`, space, key)
		} else {
			_, err = c.Exec(ctx, `INSERT INTO state (space, key, value) VALUES ($1, $2, $3)
				ON CONFLICT (space, key) DO UPDATE SET value = excluded.value`, space, key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
