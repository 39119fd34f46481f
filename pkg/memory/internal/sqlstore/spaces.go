package sqlstore

import (
	"context"
	"errors"
)

// errSpaceChanged means that another process uses the database with another embedder.
var errSpaceChanged = errors.New("the vectors belong to another embedding model by now; let all programs that use this database have the same one")

// latestSpace is the space in use.
func (s *Store) latestSpace(ctx context.Context, c Conn) (space Space, err error) {
	err = c.Row(ctx, s.sql.latestSpace, nil, &space.N, &space.Name, &space.Dims, &space.Kind)
	if errors.Is(err, ErrNoRows) {
		return Space{}, nil
	}
	return space, err
}

// ownSpace is the space in use if it is this embedder's, as far as is known: an
// embedder that has not told its length yet is known by its name. A space whose vectors
// are kept in another way than the database keeps them now is not.
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

// ensureSpace makes the embedder's space the one in use. If that was another's,
// no fact has a vector any more.
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

// dropEarlierSpaces drops the vectors of earlier embedders, when no fact needs them any more.
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
