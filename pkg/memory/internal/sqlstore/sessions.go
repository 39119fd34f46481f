package sqlstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"math"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// StartSession opens a session. Its id begins with the time, so that ids sort by time and people can tell
// them apart.
func (s *Store) StartSession(ctx context.Context, campaign string) (memory.Session, error) {
	now := stampOf(time.Now())
	var salt [4]byte
	rand.Read(salt[:]) // never fails
	out := memory.Session{
		ID:       now.Format("20060102-150405-") + hex.EncodeToString(salt[:]),
		Campaign: campaign,
		Started:  now,
	}
	err := s.d.Write(ctx, "starting session", func(ctx context.Context, c Conn) error {
		_, err := c.Exec(ctx, `INSERT INTO sessions (id, campaign, started) VALUES ($1, $2, $3)`, out.ID, campaign, now.UnixMicro())
		return err
	})
	if err != nil {
		return memory.Session{}, err
	}
	return out, nil
}

// EndSession marks a session as ended. Ending it again changes nothing. An unknown id is
// [memory.ErrNotFound].
func (s *Store) EndSession(ctx context.Context, id string) error {
	return s.d.Write(ctx, "ending session", func(ctx context.Context, c Conn) error {
		n, err := c.Exec(ctx, `UPDATE sessions SET ended = coalesce(ended, $2) WHERE id = $1`, id, time.Now().UnixMicro())
		return requireRow(n, err, "session", id)
	})
}

// Reopen continues a session as if it had never ended. An unknown id is [memory.ErrNotFound].
func (s *Store) Reopen(ctx context.Context, id string) error {
	return s.d.Write(ctx, "reopening session", func(ctx context.Context, c Conn) error {
		n, err := c.Exec(ctx, `UPDATE sessions SET ended = NULL WHERE id = $1`, id)
		return requireRow(n, err, "session", id)
	})
}

// Sessions lists sessions, newest first; limit 0 means all.
func (s *Store) Sessions(ctx context.Context, limit int) (out []memory.Session, err error) {
	if limit <= 0 {
		limit = math.MaxInt
	}
	err = s.d.Read(ctx, "listing sessions", func(c Conn) (err error) {
		out, err = Rows(ctx, c, `SELECT id, campaign, started, ended, lines FROM sessions ORDER BY n DESC LIMIT $1`, []any{limit}, scanSession)
		return err
	})
	return out, err
}

func scanSession(r Row) (m memory.Session, err error) {
	var started int64
	var ended *int64
	err = r.Scan(&m.ID, &m.Campaign, &started, &ended, &m.Lines)
	m.Started = FromStamp(started)
	if ended != nil {
		m.Ended = FromStamp(*ended)
	}
	return m, err
}

// RemoveSession deletes a session with its lines and the facts made from them, and returns the number of
// lines. It works in steps between which others can write. Deleted content is overwritten as described at
// [Store.Retract]. An unknown id is [memory.ErrNotFound].
func (s *Store) RemoveSession(ctx context.Context, id string) (lines int, err error) {
	defer s.lineCache.Forget()
	for {
		n := 0
		err := s.d.Write(ctx, "removing a session", func(ctx context.Context, c Conn) (err error) {
			n, err = DeleteLines(ctx, s, c, `l.id IN (SELECT id FROM lines WHERE session = (SELECT n FROM sessions WHERE id = $1) ORDER BY id LIMIT $2)`, id, s.syntax.RemovedLines)
			if err != nil || n > 0 {
				return err
			}
			gone, err := c.Exec(ctx, `DELETE FROM sessions WHERE id = $1`, id)
			return requireRow(gone, err, "session", id)
		})
		if lines += n; err != nil || n == 0 {
			return lines, err
		}
	}
}
