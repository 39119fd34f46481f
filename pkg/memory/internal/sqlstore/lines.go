package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Append writes lines in one transaction and returns them with their ids. They
// are on the disk when it returns. A line without a time gets the present one;
// times are kept to the microsecond, in UTC. A line of an unknown session
// fails with [memory.ErrNotFound], and then none is written.
func (s *Store) Append(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, false, lines)
}

// AppendMissing is Append for lines some of which may be there already.
func (s *Store) AppendMissing(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, true, lines)
}

// findLine returns the id of a line that is there already, 0 if it is not.
func findLine(ctx context.Context, c Conn, l memory.Line) (id int64, err error) {
	err = c.Row(ctx, `SELECT id FROM (
			SELECT l.id, turn, npc, speaker, at FROM sessions s JOIN lines l ON l.session = s.n WHERE s.id = $1 ORDER BY l.id DESC LIMIT 1024
		) AS latest WHERE turn = $2 AND npc = $3 AND speaker = $4 AND at = $5 LIMIT 1`, []any{l.Session, l.Turn, l.NPC, l.Speaker, l.At.UnixMicro()}, &id)
	if errors.Is(err, ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// lineKey tells a line from all others of a session.
type lineKey struct {
	session      string
	turn         int64
	npc, speaker string
	at           int64
}

// appendLines writes lines; if missing, those that are not there already, and each once.
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
		place := make([]int, len(out)) // in added, if the line has no id
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
	s.askForIndexing()
	return out, nil
}

// newUtterance looks up the session and the audience of a line. sessions are those that were
// looked up before.
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

// findSession returns the number of a session, 0 if there is none of that id.
func findSession(ctx context.Context, c Conn, id string) (n int64, err error) {
	err = c.Row(ctx, `SELECT n FROM sessions WHERE id = $1`, []any{id}, &n)
	if errors.Is(err, ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// Recent returns the last n lines of a session, oldest first. An unknown
// session has none.
func (s *Store) Recent(ctx context.Context, session string, n int) ([]memory.Line, error) {
	return s.RecentFor(ctx, session, "", n)
}

// RecentFor returns the last n lines of a session that viewer may know of, oldest
// first. An empty viewer sees all.
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

// Line returns a line by its id.
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

// selectLines returns the lines that a query finds, without those that are not to be shown.
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

// loadLines returns those of the lines that are there and to be shown, in their order and
// without scores.
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
