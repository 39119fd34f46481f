package sqlstore

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Forget is [Store.ForgetUser] without progress.
func (s *Store) Forget(ctx context.Context, user string) (int, error) {
	return s.ForgetUser(ctx, user, nil)
}

// ForgetUser deletes the lines that a user spoke, in all sessions, and the facts made from them. Then it has
// the database overwrite their remains. It returns the number of deleted lines. What others said, other facts
// and the world are unchanged.
//
// It works in steps between which others can write. progress, if not nil, is called with the progress. If ctx
// or the process ends first, [Store.ResumeForgetting] does the rest. For a user who never spoke, it is only one
// query.
//
// In SQLite the lines become invisible within milliseconds, as soon as the request is recorded, and the
// write-ahead log is emptied as well. In PostgreSQL lines stay visible until they are deleted, and the
// server's write-ahead log and backups are the operator's responsibility.
func (s *Store) ForgetUser(ctx context.Context, user string, progress func(memory.Forgetting)) (int, error) {
	if user == "" {
		return 0, nil
	}
	known := false
	err := s.d.Read(ctx, "looking for who is to be forgotten", func(c Conn) error {
		return c.Row(ctx, s.syntax.KnowsUser, []any{user}, &known)
	})
	if err != nil || !known {
		return 0, err
	}
	err = s.d.Write(ctx, "forgetting a user", func(ctx context.Context, c Conn) error {
		if _, err := c.Exec(ctx, s.syntax.BeginForgetting, user); err != nil {
			return err
		}
		return forgetWorldChanger(ctx, c, user)
	})
	if err != nil {
		return 0, err
	}
	return s.finishForgetting(ctx, user, progress)
}

// ResumeForgetting finishes what interrupted calls of [Store.ForgetUser] left, and returns the number of users.
func (s *Store) ResumeForgetting(ctx context.Context) (n int, err error) {
	var left []string
	err = s.d.Read(ctx, "looking for who is to be forgotten", func(c Conn) (err error) {
		left, err = Rows(ctx, c, `SELECT `+s.syntax.User+` FROM forgetting ORDER BY `+s.syntax.User, nil, ScanText)
		return err
	})
	for _, user := range left {
		if err != nil {
			break
		}
		_, err = s.finishForgetting(ctx, user, nil)
		n++
	}
	return n, err
}

func (s *Store) finishForgetting(ctx context.Context, user string, progress func(memory.Forgetting)) (int, error) {
	defer s.lineCache.Forget()
	return s.d.FinishForgetting(ctx, s, user, progress)
}

// NamesOf lists the names under which a user spoke.
func (s *Store) NamesOf(ctx context.Context, user string) (names []string, err error) {
	if user == "" {
		return nil, nil
	}
	err = s.d.Read(ctx, "looking for a user's names", func(c Conn) (err error) {
		names, err = Rows(ctx, c, s.syntax.NamesOf, []any{user}, ScanText)
		return err
	})
	return names, err
}
