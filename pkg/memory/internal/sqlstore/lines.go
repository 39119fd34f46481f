package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Append writes lines in one transaction and returns them with their ids. They are on disk when it returns. A
// line without a time gets the current time; times are stored in UTC with microsecond precision. If a line's
// session is unknown, Append fails with [memory.ErrNotFound] and writes none.
func (s *Store) Append(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, false, lines)
}

// AppendMissing is Append for lines that may have been written already in part.
func (s *Store) AppendMissing(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, true, lines)
}

// findLine returns the id of a line that has been written already, or 0.
func findLine(ctx context.Context, c Conn, l memory.Line) (id int64, err error) {
	err = c.Row(ctx, `SELECT id FROM (
			SELECT l.id, turn, npc, speaker, at FROM sessions s JOIN lines l ON l.session = s.n WHERE s.id = $1 ORDER BY l.id DESC LIMIT 1024
		) AS latest WHERE turn = $2 AND npc = $3 AND speaker = $4 AND at = $5 LIMIT 1`, []any{l.Session, l.Turn, l.NPC, l.Speaker, l.At.UnixMicro()}, &id)
	if errors.Is(err, ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// lineKey distinguishes the lines of a session.
type lineKey struct {
	session      string
	turn         int64
	npc, speaker string
	at           int64
}

// appendLines writes lines. If missing is set, it skips lines that exist already and duplicates among lines.
func (s *Store) appendLines(ctx context.Context, missing bool, lines []memory.Line) ([]memory.Line, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	out := slices.Clone(lines)
	for i := range out {
		if out[i].At.IsZero() {
			out[i].At = time.Now()
		}
		out[i].At = stampOf(out[i].At)
	}
	err := s.d.Write(ctx, "appending to the session log", func(ctx context.Context, c Conn) error {
		var added []Utterance
		place := make([]int, len(out)) // index in added, for a line without an id
		sessions, twice := map[string]int64{}, map[lineKey]int{}
		for i, l := range out {
			if missing {
				id, err := findLine(ctx, c, l)
				if err != nil {
					return err
				}
				if out[i].ID = id; id != 0 {
					continue
				}
				key := lineKey{l.Session, l.Turn, l.NPC, l.Speaker, l.At.UnixMicro()}
				if first, is := twice[key]; is {
					place[i] = first
					continue
				}
				twice[key] = len(added)
			} else {
				out[i].ID = 0
			}
			u, err := newUtterance(ctx, c, l, sessions)
			if err != nil {
				return err
			}
			place[i], added = len(added), append(added, u)
		}
		if err := s.d.InsertLines(ctx, c, added); err != nil {
			return err
		}
		for i := range out {
			if out[i].ID == 0 {
				out[i].ID = added[place[i]].ID
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.signalUnindexed()
	return out, nil
}

// newUtterance looks up the session and audience of a line. sessions caches session numbers between calls.
func newUtterance(ctx context.Context, c Conn, l memory.Line, sessions map[string]int64) (u Utterance, err error) {
	u.Line = l
	n, known := sessions[l.Session]
	if !known {
		if n, err = findSession(ctx, c, l.Session); err != nil {
			return u, err
		}
		if n == 0 {
			return u, fmt.Errorf("session %q: %w", l.Session, memory.ErrNotFound)
		}
		sessions[l.Session] = n
	}
	u.SessionNumber = n
	if u.Audience, err = audienceOf(ctx, c, l.Present); err != nil {
		return u, fmt.Errorf("line of turn %d: %w", l.Turn, err)
	}
	return u, nil
}

// findSession returns the number of a session, or 0 if the id is unknown.
func findSession(ctx context.Context, c Conn, id string) (n int64, err error) {
	err = c.Row(ctx, `SELECT n FROM sessions WHERE id = $1`, []any{id}, &n)
	if errors.Is(err, ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// Recent returns the last n lines of a session, oldest first. An unknown session has no lines.
func (s *Store) Recent(ctx context.Context, session string, n int) ([]memory.Line, error) {
	return s.RecentFor(ctx, session, "", n)
}

// RecentFor returns the last n lines of a session that viewer may know of, oldest first. An empty viewer sees
// all.
func (s *Store) RecentFor(ctx context.Context, session, viewer string, n int) (out []memory.Line, err error) {
	if n <= 0 {
		return nil, nil
	}
	query, args := s.sql.recent, []any{session, n}
	if viewer != "" {
		query, args = s.sql.recentFor, append(args, s.viewerKeys(viewer))
	}
	err = s.d.Read(ctx, "reading recent lines", func(c Conn) (err error) {
		out, err = s.selectLines(ctx, c, query, args)
		return err
	})
	slices.Reverse(out)
	return out, err
}

// Line returns the line with the given id, or [memory.ErrNotFound].
func (s *Store) Line(ctx context.Context, id int64) (l memory.Line, err error) {
	err = s.d.Read(ctx, "reading a line", func(c Conn) error {
		found, err := s.selectLines(ctx, c, s.sql.line, []any{id})
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("line %d: %w", id, memory.ErrNotFound)
		}
		if err == nil {
			l = found[0]
		}
		return err
	})
	return l, err
}

// selectLines returns the lines a query selects, without the hidden ones.
func (s *Store) selectLines(ctx context.Context, c Conn, query string, args []any) ([]memory.Line, error) {
	all, err := Rows(ctx, c, query, args, scanLine)
	if err != nil {
		return nil, err
	}
	hidden, err := s.d.Hidden(ctx, c)
	if err != nil || hidden == nil {
		return all, err
	}
	return slices.DeleteFunc(all, hidden), nil
}

// loadLines returns those of the lines that exist and are not hidden, in the order of ids and without scores.
func (s *Store) loadLines(ctx context.Context, c Conn, ids []int64) ([]memory.LineHit, error) {
	all, err := s.selectLines(ctx, c, s.sql.loadLines, []any{ids})
	return hits(all), err
}

func hits(all []memory.Line) (out []memory.LineHit) {
	for _, l := range all {
		out = append(out, memory.LineHit{Line: l})
	}
	return out
}

func scanLine(r Row) (l memory.Line, err error) {
	var at int64
	var present string
	var day *int64
	err = r.Scan(&l.ID, &l.Session, &l.Turn, &l.Speaker, &l.NPC, &l.To, &l.Text, &at, &l.User, &l.Ref, &l.DM, &present, &day, &l.Date.Text)
	l.At, l.Present, l.Date = FromStamp(at), VisibleList(present), dateOf(day, l.Date.Text)
	return l, err
}
