package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// Append writes lines in one transaction and returns them with their ids. They
// are on the server's disk when it returns. A line without a time gets the present
// one; times are kept to the microsecond, in UTC. A line of an unknown session
// fails with [memory.ErrNotFound], and then none is written.
func (s *SessionLog) Append(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, lines, func(context.Context, conn, memory.Line) (int64, error) { return 0, nil })
}

// AppendMissing is Append for lines some of which may be there already.
func (s *SessionLog) AppendMissing(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	return s.appendLines(ctx, lines, findLine)
}

// findLine returns the id of a line that is there already, 0 if it is not.
func findLine(ctx context.Context, c conn, l memory.Line) (id int64, err error) {
	k := keepLine(l)
	err = row(ctx, c, `SELECT id FROM (
			SELECT l.id, turn, npc, speaker, at FROM sessions s JOIN lines l ON l.session = s.n WHERE s.id = $1 ORDER BY l.id DESC LIMIT 1024
		) AS latest WHERE turn = $2 AND npc = $3 AND speaker = $4 AND at = $5 LIMIT 1`, []any{k.Session, k.Turn, k.NPC, k.Speaker, k.At.UnixMicro()}, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return id, err
}

// appendLines writes the lines for which find returns no id.
func (s *SessionLog) appendLines(ctx context.Context, lines []memory.Line, find func(context.Context, conn, memory.Line) (int64, error)) ([]memory.Line, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	out := slices.Clone(lines)
	for i := range out {
		if out[i].At.IsZero() {
			out[i].At = time.Now()
		}
		out[i].At = pack.Stamp(out[i].At)
	}
	err := s.write(ctx, "appending to the session log", func(ctx context.Context, c conn) error {
		var missing []memory.Line
		var at []int
		for i := range out {
			id, err := find(ctx, c, out[i])
			if err != nil {
				return err
			}
			if out[i].ID = id; id == 0 {
				missing, at = append(missing, out[i]), append(at, i)
			}
		}
		if err := insertLines(ctx, c, missing); err != nil {
			return err
		}
		for i, l := range missing {
			out[at[i]].ID = l.ID
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.askForIndexing()
	return out, nil
}

// insertLines writes lines and what they are found by, and enters their ids.
func insertLines(ctx context.Context, c conn, lines []memory.Line) error {
	sessions, count := map[string]int64{}, map[int64]int{}
	var inserts pgx.Batch
	var postings postings
	for i := range lines {
		l := keepLine(lines[i])
		n, known := sessions[l.Session]
		if !known {
			err := row(ctx, c, `SELECT n FROM sessions WHERE id = $1`, []any{l.Session}, &n)
			if errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("session %q: %w", lines[i].Session, memory.ErrNotFound)
			}
			if err != nil {
				return err
			}
			sessions[l.Session] = n
		}
		audience, err := audienceOf(ctx, c, lines[i].Present)
		if err != nil {
			return fmt.Errorf("line of turn %d: %w", l.Turn, err)
		}
		day, date := pack.Day(l.Date)
		inserts.Queue(`INSERT INTO lines (session, turn, speaker, npc, heard, text, at, said_by, ref, dm, audience, day, date)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
			n, l.Turn, l.Speaker, l.NPC, l.To, l.Text, l.At.UnixMicro(), l.User, l.Ref, l.DM, audience, day, date).QueryRow(func(r pgx.Row) error {
			err := r.Scan(&lines[i].ID)
			postings.add(lines[i].ID, n, lines[i].Text)
			return err
		})
		count[n]++
	}
	for n, more := range count {
		inserts.Queue(`UPDATE sessions SET lines = lines + $2 WHERE n = $1`, n, more)
	}
	if err := c.SendBatch(ctx, &inserts).Close(); err != nil {
		return err
	}
	return postings.insert(ctx, c)
}

// postings are words that lead to lines.
type postings struct {
	words          []string
	lines, session []int64
}

func (p *postings) add(line, session int64, text string) {
	for _, w := range wordsOf(text) {
		p.words, p.lines, p.session = append(p.words, w), append(p.lines, line), append(p.session, session)
	}
}

func (p *postings) insert(ctx context.Context, c conn) error {
	if len(p.words) == 0 {
		return nil
	}
	_, err := exec(ctx, c, `INSERT INTO line_words (word, line, session) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])`, p.words, p.lines, p.session)
	return err
}

var lineColumns = `l.id, s.id, l.turn, l.speaker, l.npc, l.heard, l.text, l.at, l.said_by, l.ref, l.dm, ` + audienceIn("l") + `, l.day, l.date`

// Recent returns the last n lines of a session, oldest first. An unknown
// session has none.
func (s *SessionLog) Recent(ctx context.Context, session string, n int) ([]memory.Line, error) {
	return s.RecentFor(ctx, session, "", n)
}

// RecentFor returns the last n lines of a session that viewer may know of, oldest
// first. An empty viewer sees all.
func (s *SessionLog) RecentFor(ctx context.Context, session, viewer string, n int) (out []memory.Line, err error) {
	if n <= 0 {
		return nil, nil
	}
	seen, args := "", []any{keepable(session), n}
	if viewer != "" {
		seen, args = ` AND `+heardBy("l", "$3"), append(args, s.viewerKeys(viewer))
	}
	err = s.read(ctx, "reading recent lines", func(c conn) (err error) {
		out, err = rows(ctx, c, `SELECT `+lineColumns+` FROM sessions s JOIN lines l ON l.session = s.n
			WHERE s.id = $1`+seen+` ORDER BY l.id DESC LIMIT $2`, args, scanLine)
		return err
	})
	slices.Reverse(out)
	return out, err
}

func scanLine(r pgx.Rows) (l memory.Line, err error) {
	var at int64
	var present string
	var day *int64
	err = r.Scan(&l.ID, &l.Session, &l.Turn, &l.Speaker, &l.NPC, &l.To, &l.Text, &at, &l.User, &l.Ref, &l.DM, &present, &day, &l.Date.Text)
	l.At, l.Present, l.Date = pack.FromStamp(at), listed(present), dateOf(day, l.Date.Text)
	for _, s := range []*string{&l.Session, &l.Speaker, &l.NPC, &l.To, &l.Text, &l.User, &l.Ref} {
		*s = restored(*s)
	}
	return l, err
}

// dateOf is a day of the world as it is kept.
func dateOf(day *int64, text string) memory.Date {
	if day == nil {
		return memory.Date{}
	}
	return memory.Date{Day: *day, Text: restored(text)}
}
