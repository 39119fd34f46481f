package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Append writes lines in one transaction and returns them with their ids. They
// are on the disk when it returns. A line without a time gets the present one;
// times are kept to the microsecond, in UTC. A line of an unknown session
// fails with [memory.ErrNotFound], and then none is written.
func (s *SessionLog) Append(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, false, lines)
}

// AppendMissing is Append for lines some of which may be there already.
func (s *SessionLog) AppendMissing(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, true, lines)
}

func (s *SessionLog) appendLines(ctx context.Context, missing bool, lines []memory.Line) ([]memory.Line, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	out := slices.Clone(lines)
	keys := make([]string, len(out))
	for i := range out {
		if out[i].At.IsZero() {
			out[i].At = time.Now()
		}
		out[i].At = pack.Stamp(out[i].At)
		keys[i] = words.Key(out[i].Text)
	}
	err := s.write(ctx, "appending to the session log", func(ctx context.Context, c *conn) error {
		for i := range out {
			id, err := int64(0), error(nil)
			if missing {
				id, err = findLine(ctx, c, out[i])
			}
			if id == 0 && err == nil {
				id, err = insertLine(ctx, c, out[i], keys[i])
			}
			if err != nil {
				return err
			}
			out[i].ID = id
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.askForIndexing()
	return out, nil
}

// findLine returns the id of a line that is there already, 0 if it is not.
func findLine(ctx context.Context, c *conn, l memory.Line) (int64, error) {
	var id int64
	err := c.row(ctx, `SELECT id FROM (
			SELECT l.id, turn, npc, speaker, at FROM sessions s JOIN lines l ON l.session = s.n WHERE s.id = ? ORDER BY l.id DESC LIMIT 1024
		) WHERE turn = ? AND npc = ? AND speaker = ? AND at = ? LIMIT 1`, []any{l.Session, l.Turn, l.NPC, l.Speaker, l.At.UnixMicro()}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// nextLine is the id of a new line. It is none of a line that is being forgotten.
const nextLine = `1 + max((SELECT coalesce(max(id), 0) FROM lines), (SELECT coalesce(max(line), 0) FROM forgetting))`

func insertLine(ctx context.Context, c *conn, l memory.Line, key string) (int64, error) {
	var session int64
	err := c.row(ctx, `SELECT n FROM sessions WHERE id = ?`, []any{l.Session}, &session)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("session %q: %w", l.Session, memory.ErrNotFound)
	}
	if err != nil {
		return 0, err
	}
	audience, err := audienceOf(ctx, c, l.Present)
	if err != nil {
		return 0, fmt.Errorf("line of turn %d: %w", l.Turn, err)
	}
	day, date := pack.Day(l.Date)
	res, err := c.exec(ctx, `INSERT INTO lines (id, session, turn, speaker, npc, heard, text, at, user, ref, dm, audience, day, date)
		VALUES (`+nextLine+`, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		session, l.Turn, l.Speaker, l.NPC, l.To, l.Text, l.At.UnixMicro(), l.User, l.Ref, l.DM, audience, day, date)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	_, err = c.exec(ctx, `INSERT INTO lines_text (rowid, words) VALUES (?, ?)`, id, lineWords(session, key))
	return id, err
}

// lineWords are what a line is indexed with: its session's and its own.
func lineWords(session int64, key string) string { return sessionWord(session) + " " + key }

// sessionWord is indexed with every line, which makes a search within one
// session as quick as any. No text contains it, since "¤" is no letter.
func sessionWord(n int64) string { return fmt.Sprintf("¤%d", n) }

const lineColumns = `l.id, s.id, l.turn, l.speaker, l.npc, l.heard, l.text, l.at, l.user, l.ref, l.dm, ` + lineAudience + `, l.day, l.date`

// Recent returns the last n lines of a session, oldest first. An unknown
// session has none.
func (s *SessionLog) Recent(ctx context.Context, session string, n int) ([]memory.Line, error) {
	return s.RecentFor(ctx, session, "", n)
}

// RecentFor returns the last n lines of a session that viewer may know of, oldest
// first. An empty viewer sees all.
func (s *SessionLog) RecentFor(ctx context.Context, session, viewer string, n int) ([]memory.Line, error) {
	if n <= 0 {
		return nil, nil
	}
	seen, args := "", []any{session, n}
	if viewer != "" {
		seen, args = ` AND `+visibleLine, []any{session, s.viewerKeys(viewer), n}
	}
	var out []memory.Line
	err := s.read(ctx, "reading recent lines", func(c *conn) (err error) {
		out, err = rows(ctx, c, `SELECT `+lineColumns+` FROM sessions s JOIN lines l ON l.session = s.n
			WHERE s.id = ?`+seen+` ORDER BY l.id DESC `+limitParam, args, scanLine)
		if err == nil {
			out, err = hideLines(ctx, c, out, sameLine)
		}
		return err
	})
	slices.Reverse(out)
	return out, err
}

func scanLine(r *sql.Rows) (memory.Line, error) {
	var l memory.Line
	var at int64
	var present string
	var day sql.NullInt64
	err := r.Scan(&l.ID, &l.Session, &l.Turn, &l.Speaker, &l.NPC, &l.To, &l.Text, &at, &l.User, &l.Ref, &l.DM, &present, &day, &l.Date.Text)
	l.At, l.Present, l.Date.Day = pack.FromStamp(at), pack.VisibleList(present), day.Int64
	return l, err
}
