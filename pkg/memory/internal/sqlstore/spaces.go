package sqlstore

import (
	"context"
	"errors"
)

// errSpaceChanged means that another process uses the database with a different embedder.
var errSpaceChanged = errors.New("the vectors belong to another embedding model by now; let all programs that use this database have the same one")

// latestSpace returns the current space.
func (s *Store) latestSpace(ctx context.Context, c Conn) (space Space, err error) {
	err = c.Row(ctx, s.sql.latestSpace, nil, &space.N, &space.Name, &space.Dims, &space.Kind)
	if errors.Is(err, ErrNoRows) {
		return Space{}, nil
	}
	return space, err
}

// ownSpace returns the current space if it belongs to this embedder, otherwise none. If the embedder has not
// reported its dimensions yet, only its name is compared. A space whose vectors are stored in another way
// than the database uses now does not count.
func (s *Store) ownSpace(ctx context.Context, c Conn) (Space, error) {
	space, err := s.latestSpace(ctx, c)
	if err != nil || s.embedder == nil || space.Name != s.embedder.Name() || space.Kind != s.syntax.Kind {
		return Space{}, err
	}
	if dims := s.embedder.Dimensions(); dims != 0 && dims != space.Dims {
		return Space{}, nil
	}
	return space, nil
}

// ensureSpace makes the embedder's space the current one. If that belonged to another embedder, all facts
// need new vectors.
func (s *Store) ensureSpace(ctx context.Context, dims int) error {
	var own Space
	err := s.d.Read(ctx, "checking vectors", func(c Conn) (err error) {
		own, err = s.ownSpace(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	if own.N == 0 {
		if own, err = s.addSpace(ctx, dims); err != nil {
			return err
		}
	}
	s.claim.Store(own.N)
	return nil
}

func (s *Store) addSpace(ctx context.Context, dims int) (own Space, err error) {
	err = s.d.Write(ctx, "preparing vectors", func(ctx context.Context, c Conn) error {
		if own, err = s.ownSpace(ctx, c); err != nil || own.N != 0 {
			return err
		}
		if s.claim.Load() != 0 {
			return errSpaceChanged
		}
		latest, err := s.latestSpace(ctx, c)
		if err != nil {
			return err
		}
		own = Space{N: latest.N + 1, Name: s.embedder.Name(), Dims: dims, Kind: s.syntax.Kind}
		return s.d.MakeSpace(ctx, c, own)
	})
	return own, err
}

// dropEarlierSpaces drops the vectors of earlier embedders once no fact needs them.
func (s *Store) dropEarlierSpaces(ctx context.Context) error {
	var earlier []int64
	err := s.d.Read(ctx, "listing old vectors", func(c Conn) (err error) {
		earlier, err = Rows(ctx, c, `SELECT n FROM vector_spaces WHERE n < (SELECT max(n) FROM vector_spaces) ORDER BY n DESC`, nil, ScanID)
		return err
	})
	if err != nil || len(earlier) == 0 {
		return err
	}
	return s.d.DropSpaces(ctx, earlier)
}
