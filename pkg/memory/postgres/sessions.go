package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
	err := s.write(ctx, "starting session", func(ctx context.Context, c conn) error {
		_, err := exec(ctx, c, `INSERT INTO sessions (id, campaign, started) VALUES ($1, $2, $3)`, out.ID, keepable(campaign), now.UnixMicro())
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
	return s.updateSession(ctx, "ending session", id, `UPDATE sessions SET ended = coalesce(ended, $2) WHERE id = $1`, time.Now().UnixMicro())
}

// Reopen lets a session go on as if it had never ended. An unknown id is
// [memory.ErrNotFound].
func (s *SessionLog) Reopen(ctx context.Context, id string) error {
	return s.updateSession(ctx, "reopening session", id, `UPDATE sessions SET ended = NULL WHERE id = $1`)
}

func (s *SessionLog) updateSession(ctx context.Context, doing, id, query string, args ...any) error {
	return s.write(ctx, doing, func(ctx context.Context, c conn) error {
		n, err := exec(ctx, c, query, append([]any{keepable(id)}, args...)...)
		if err == nil && n == 0 {
			err = fmt.Errorf("session %q: %w", id, memory.ErrNotFound)
		}
		return err
	})
}

// Sessions lists sessions, newest first; limit 0 means all.
func (s *SessionLog) Sessions(ctx context.Context, limit int) (out []memory.Session, err error) {
	most := &limit
	if limit <= 0 {
		most = nil
	}
	err = s.read(ctx, "listing sessions", func(c conn) (err error) {
		out, err = rows(ctx, c, `SELECT id, campaign, started, ended, lines FROM sessions ORDER BY n DESC LIMIT $1`, []any{most}, scanSession)
		return err
	})
	return out, err
}

func scanSession(r pgx.Rows) (memory.Session, error) {
	var m memory.Session
	var started int64
	var ended *int64
	if err := r.Scan(&m.ID, &m.Campaign, &started, &ended, &m.Lines); err != nil {
		return m, err
	}
	m.Campaign, m.Started = restored(m.Campaign), pack.FromStamp(started)
	if ended != nil {
		m.Ended = pack.FromStamp(*ended)
	}
	return m, nil
}
