package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// StartSession opens a session. Its id begins with the time, so that ids sort
// and can be told apart by people.
func (s *SessionLog) StartSession(ctx context.Context, campaign string) (memory.Session, error) {
	now := pack.Stamp(time.Now())
	var salt [4]byte
	rand.Read(salt[:]) // never fails
	out := memory.Session{
		ID:       now.Format("20060102-150405-") + hex.EncodeToString(salt[:]),
		Campaign: campaign,
		Started:  now,
	}
	err := s.write(ctx, "starting session", func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `INSERT INTO sessions (id, campaign, started) VALUES (?, ?, ?)`,
			out.ID, campaign, now.UnixMicro())
		return err
	})
	if err != nil {
		return memory.Session{}, err
	}
	return out, nil
}

// EndSession marks a session as ended; the first end counts. An unknown id is
// [memory.ErrNotFound].
func (s *SessionLog) EndSession(ctx context.Context, id string) error {
	return s.write(ctx, "ending session", func(ctx context.Context, c *conn) error {
		res, err := c.exec(ctx, `UPDATE sessions SET ended = coalesce(ended, ?) WHERE id = ?`,
			time.Now().UnixMicro(), id)
		if err != nil {
			return err
		}
		return needOne(res, "session", id)
	})
}

// Reopen lets a session go on as if it had never ended. An unknown id is
// [memory.ErrNotFound].
func (s *SessionLog) Reopen(ctx context.Context, id string) error {
	return s.write(ctx, "reopening session", func(ctx context.Context, c *conn) error {
		res, err := c.exec(ctx, `UPDATE sessions SET ended = NULL WHERE id = ?`, id)
		if err != nil {
			return err
		}
		return needOne(res, "session", id)
	})
}

// Sessions lists sessions, newest first; limit 0 means all.
func (s *SessionLog) Sessions(ctx context.Context, limit int) ([]memory.Session, error) {
	if limit <= 0 {
		limit = -1
	}
	var out []memory.Session
	err := s.read(ctx, "listing sessions", func(c *conn) (err error) {
		out, err = rows(ctx, c, `SELECT id, campaign, started, ended, lines
			FROM sessions ORDER BY n DESC `+limitParam, []any{limit}, scanSession)
		return err
	})
	return out, err
}

func scanSession(r *sql.Rows) (memory.Session, error) {
	var m memory.Session
	var started int64
	var ended sql.NullInt64
	if err := r.Scan(&m.ID, &m.Campaign, &started, &ended, &m.Lines); err != nil {
		return m, err
	}
	m.Started = pack.FromStamp(started)
	if ended.Valid {
		m.Ended = pack.FromStamp(ended.Int64)
	}
	return m, nil
}

// needOne turns an update that met no row into memory.ErrNotFound.
func needOne(res sql.Result, what, id string) error {
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s %q: %w", what, id, memory.ErrNotFound)
	}
	return nil
}
