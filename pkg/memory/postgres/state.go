package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// LoadState returns everything kept in a space, by key.
func (s *State) LoadState(ctx context.Context, space string) (map[string][]byte, error) {
	state := map[string][]byte{}
	err := s.read(ctx, "reading state", func(c conn) error {
		clear(state)
		_, err := rows(ctx, c, `SELECT key, value FROM state WHERE space = $1`, []any{keepable(space)}, func(r pgx.Rows) (none struct{}, err error) {
			var key string
			var value []byte
			err = r.Scan(&key, &value)
			state[restored(key)] = value
			return none, err
		})
		return err
	})
	return state, err
}

// StateSpaces lists the spaces in which something is kept and whose names begin with
// prefix, by name.
func (s *State) StateSpaces(ctx context.Context, prefix string) (spaces []string, err error) {
	err = s.read(ctx, "listing state", func(c conn) (err error) {
		spaces, err = rows(ctx, c, `SELECT DISTINCT space FROM state WHERE starts_with(space, $1) ORDER BY space`, []any{keepable(prefix)}, scanText)
		return err
	})
	return spaces, err
}

func scanText(r pgx.Rows) (text string, err error) {
	err = r.Scan(&text)
	return restored(text), err
}

func scanID(r pgx.Rows) (id int64, err error) { return id, r.Scan(&id) }

// SaveState keeps values in a space, in one transaction; a nil value removes
// its key. Keys that are not mentioned stay.
func (s *State) SaveState(ctx context.Context, space string, values map[string][]byte) error {
	if len(values) == 0 {
		return nil
	}
	return s.write(ctx, "keeping state", func(ctx context.Context, c conn) error {
		return saveState(ctx, c, space, values)
	})
}

func saveState(ctx context.Context, c conn, space string, values map[string][]byte) error {
	for key, value := range values {
		var err error
		if value == nil {
			_, err = exec(ctx, c, `DELETE FROM state WHERE space = $1 AND key = $2`, keepable(space), keepable(key))
		} else {
			_, err = exec(ctx, c, `INSERT INTO state (space, key, value) VALUES ($1, $2, $3)
				ON CONFLICT (space, key) DO UPDATE SET value = excluded.value`, keepable(space), keepable(key), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
