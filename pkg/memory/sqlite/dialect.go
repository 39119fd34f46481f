package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// dialect implements [sqlstore.Dialect] for SQLite.
type dialect struct {
	db       *database
	syntax   sqlstore.Syntax
	sketched sketched
}

var _ sqlstore.Dialect = (*dialect)(nil)

func newDialect(db *database) *dialect {
	contains := func(column, param string) string {
		return `EXISTS (SELECT 1 FROM json_each(` + param + `) k WHERE instr(` + column + `, k.value) > 0)`
	}
	return &dialect{db: db, syntax: sqlstore.Syntax{
		Least:    "min",
		User:     "user",
		SameFact: `source = $1 AND text = $2`,
		FactKey:  func(source, text string) []any { return []any{source, text} },
		KnowsUser: `SELECT EXISTS (SELECT 1 FROM speakers WHERE user = $1) OR EXISTS (SELECT 1 FROM forgetting WHERE user = $1)
			OR EXISTS (SELECT 1 FROM world_changes WHERE who = $1)`,
		BeginForgetting: `INSERT INTO forgetting (user, line) VALUES ($1, (SELECT coalesce(max(id), 0) FROM lines))
			ON CONFLICT (user) DO UPDATE SET line = excluded.line, phase = 0`,
		NamesOf:   `SELECT DISTINCT speaker FROM speakers WHERE user = $1 ORDER BY speaker`,
		FiledBy:   "what",
		Checks:    checks,
		SpaceKind: `''`,
		List:      func(param, _ string) string { return `json_each(` + param + `) j` },
		Contains:  contains,
		Heard: func(table, param string) string {
			return table + `.audience IN (SELECT a.n FROM audiences a WHERE a.n = 0 OR ` + contains("a.ids", param) + `)`
		},
		Clip:         func(s string) string { return s },
		Reach:        reach,
		RemovedLines: 20,
	}}
}

func (d *dialect) Syntax() sqlstore.Syntax { return d.syntax }

// reach follows each direction in a query of its own, because each has an index.
func reach(visible func(table string) string) string {
	return `WITH RECURSIVE
	walk (id, depth) AS (
		SELECT $1, 0
		UNION
		SELECT r.dst, walk.depth + 1 FROM walk
			JOIN relations r ON r.src = walk.id AND ` + visible("r") + `
			JOIN entities e ON e.id = r.dst AND ` + visible("e") + `
			WHERE walk.depth < $3
		UNION
		SELECT r.src, walk.depth + 1 FROM walk
			JOIN relations r ON r.dst = walk.id AND ` + visible("r") + `
			JOIN entities e ON e.id = r.src AND ` + visible("e") + `
			WHERE walk.depth < $3
	),
	near (id, depth) AS MATERIALIZED (SELECT id, min(depth) FROM walk GROUP BY id)
`
}

func (d *dialect) Read(ctx context.Context, doing string, fn func(sqlstore.Conn) error) error {
	return d.db.read(ctx, doing, func(c *conn) error { return fn(c) })
}

func (d *dialect) ReadSnapshot(ctx context.Context, doing string, fn func(sqlstore.Conn) error) error {
	return d.db.readSnapshot(ctx, doing, func(c *conn) error { return fn(c) })
}

func (d *dialect) Write(ctx context.Context, doing string, fn func(context.Context, sqlstore.Conn) error) error {
	return d.db.write(ctx, doing, func(ctx context.Context, c *conn) error { return fn(ctx, c) })
}

func (d *dialect) WriteUnsynced(ctx context.Context, doing string, fn func(context.Context, sqlstore.Conn) error) error {
	return d.db.writeUnsynced(ctx, doing, func(ctx context.Context, c *conn) error { return fn(ctx, c) })
}

// nextLine is the id of a new line. It does not reuse the id of a line that is being forgotten.
const nextLine = `1 + max((SELECT coalesce(max(id), 0) FROM lines), (SELECT coalesce(max(line), 0) FROM forgetting))`

// InsertLines inserts lines one by one. Triggers count them and record the speakers.
func (d *dialect) InsertLines(ctx context.Context, c sqlstore.Conn, lines []sqlstore.Utterance) error {
	for i := range lines {
		l := &lines[i]
		day, date := sqlstore.Day(l.Date)
		id, err := c.(*conn).insert(ctx, `INSERT INTO lines (id, session, turn, speaker, npc, heard, text, at, user, ref, dm, audience, day, date)
			VALUES (`+nextLine+`, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			l.SessionNumber, l.Turn, l.Speaker, l.NPC, l.To, l.Text, l.At.UnixMicro(), l.User, l.Ref, l.DM, l.Audience, day, date)
		if err != nil {
			return err
		}
		l.ID = id
		if err := indexLine(ctx, c, id, l.SessionNumber, l.Text); err != nil {
			return err
		}
	}
	return nil
}

func indexLine(ctx context.Context, c sqlstore.Conn, id, session int64, text string) error {
	_, err := c.Exec(ctx, `INSERT INTO lines_text (rowid, words) VALUES (?, ?)`, id, lineWords(session, words.Key(text)))
	return err
}

// unindexLine removes a line from the full-text index. The index stores no text, so it must be given exactly
// the words that were indexed.
func unindexLine(ctx context.Context, c sqlstore.Conn, l sqlstore.Utterance) error {
	_, err := c.Exec(ctx, `INSERT INTO lines_text (lines_text, rowid, words) VALUES ('delete', ?, ?)`,
		l.ID, lineWords(l.SessionNumber, words.Key(l.Text)))
	return err
}

// lineWords returns the indexed words of a line: its session's word and its own.
func lineWords(session int64, key string) string { return sessionWord(session) + " " + key }

// sessionWord is indexed with every line of a session, so that a search within one session is as fast as any
// other. It occurs in no text, because "¤" is not a letter.
func sessionWord(n int64) string { return fmt.Sprintf("¤%d", n) }

func (d *dialect) DeleteLines(ctx context.Context, c sqlstore.Conn, lines []sqlstore.Utterance) error {
	// The full-text index batches changes as long as no other table is written in between.
	for _, l := range lines {
		if err := unindexLine(ctx, c, l); err != nil {
			return err
		}
	}
	for _, l := range lines {
		if _, err := c.Exec(ctx, `DELETE FROM lines WHERE id = ?`, l.ID); err != nil {
			return err
		}
	}
	return nil
}

func (d *dialect) ReplaceWords(ctx context.Context, c sqlstore.Conn, old sqlstore.Utterance, text string) error {
	if err := unindexLine(ctx, c, old); err != nil {
		return err
	}
	return indexLine(ctx, c, old.ID, old.SessionNumber, text)
}

// madeOf is the condition that a line l produces the fact with the text $2. An index finds the lines with the
// same length and ending.
const madeOf = `length(CAST(l.speaker AS BLOB)) + length(CAST(l.text AS BLOB)) = length(CAST($2 AS BLOB)) - 2
	AND substr(l.speaker || ': ' || l.text, -8) = substr($2, -8) AND l.speaker || ': ' || l.text = $2`

func (d *dialect) StillProduced(ctx context.Context, c sqlstore.Conn, session int64, texts []string) (said []string, err error) {
	for _, text := range texts {
		var is bool
		if err := c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM lines l WHERE l.session = $1 AND `+madeOf+`)`, []any{session, text}, &is); err != nil {
			return nil, err
		}
		if is {
			said = append(said, text)
		}
	}
	return said, nil
}

func (d *dialect) InsertFact(ctx context.Context, c sqlstore.Conn, f sqlstore.NewFact) (int64, error) {
	day, date := sqlstore.Day(f.Date)
	since, sinceDate := sqlstore.Day(f.Since)
	id, err := c.(*conn).insert(ctx, `INSERT INTO facts (source, text, at, audience, day, date, topic, stated, since_day, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		f.Source, f.Text, f.At.UnixMicro(), f.Audience, day, date, f.Topic, f.At.UnixMicro(), since, sinceDate)
	if err != nil {
		return 0, err
	}
	return id, indexFact(ctx, c, id, f.Text)
}

func indexFact(ctx context.Context, c sqlstore.Conn, id int64, text string) error {
	_, err := c.Exec(ctx, `INSERT INTO facts_text (rowid, words) VALUES (?, ?)`, id, words.Key(text))
	return err
}

func (d *dialect) DeleteFacts(ctx context.Context, c sqlstore.Conn, source string, texts []string) error {
	type fact struct {
		id   int64
		text string
	}
	var gone []fact
	for _, text := range texts {
		found, err := sqlstore.Rows(ctx, c, `SELECT id FROM facts WHERE source = ? AND text = ?`, []any{source, text}, sqlstore.ScanID)
		if err != nil {
			return err
		}
		for _, id := range found {
			gone = append(gone, fact{id, text})
		}
	}
	// The full-text index batches changes as long as ids increase and no other table is written in between.
	// Flushing a batch is slow.
	slices.SortFunc(gone, func(a, b fact) int { return int(a.id - b.id) })
	for _, f := range gone {
		if _, err := c.Exec(ctx, `INSERT INTO facts_text (facts_text, rowid, words) VALUES ('delete', ?, ?)`, f.id, words.Key(f.text)); err != nil {
			return err
		}
	}
	spaces, err := sqlstore.Rows(ctx, c, `SELECT n FROM vector_spaces`, nil, sqlstore.ScanID)
	if err != nil {
		return err
	}
	for _, f := range gone {
		for _, n := range spaces {
			if _, err := c.Exec(ctx, `DELETE FROM `+vectorTable(n)+` WHERE rowid = ?`, f.id); err != nil {
				return err
			}
		}
		if _, err := c.Exec(ctx, `DELETE FROM facts WHERE id = ?`, f.id); err != nil {
			return err
		}
	}
	return nil
}

func (d *dialect) FindLines(c sqlstore.Conn, f sqlstore.LineFilter) sqlstore.FullTextIndex {
	x := textIndex{c: c, size: `SELECT coalesce(max(id), 0) FROM lines`}
	if f.Session != 0 {
		x.scope = sessionWord(f.Session)
	}
	condition, args := sqlstore.NarrowLines(d.syntax, f, make([]any, firstArg))
	x.args = args[firstArg:]
	if condition == "" {
		x.newest = `SELECT rowid AS id FROM lines_text WHERE lines_text MATCH $1 ORDER BY rowid DESC LIMIT $2`
	} else {
		x.newest = `SELECT t.rowid AS id FROM lines_text t JOIN lines l ON l.id = t.rowid
			WHERE lines_text MATCH $1` + condition + ` ORDER BY t.rowid DESC LIMIT $2`
	}
	return x
}

func (d *dialect) FindFacts(c sqlstore.Conn, keys []string, space int64) sqlstore.FullTextIndex {
	return textIndex{
		c: c,
		newest: `SELECT t.rowid AS id FROM facts_text t JOIN facts f ON f.id = t.rowid
			WHERE facts_text MATCH $1 AND ` + d.syntax.Heard("f", "$3") + ` AND ($4 = 0 OR f.embedded <> $4) ORDER BY t.rowid DESC LIMIT $2`,
		size: `SELECT coalesce(max(id), 0) FROM facts`,
		args: []any{keys, space},
	}
}

func (d *dialect) Filed(ctx context.Context, c sqlstore.Conn, keys []string) (map[string][]byte, error) {
	last := make(map[string][]byte, len(keys))
	err := c.Each(ctx, `SELECT f.what, f.hash FROM json_each($1) j CROSS JOIN filed f ON f.what = j.value`, []any{keys}, func(r sqlstore.Row) error {
		var key string
		var hash []byte
		err := r.Scan(&key, &hash)
		last[key] = hash
		return err
	})
	return last, err
}

func (d *dialect) File(ctx context.Context, c sqlstore.Conn, key string, hash []byte) error {
	_, err := c.Exec(ctx, `INSERT INTO filed (what, hash) VALUES ($1, $2)
		ON CONFLICT (what) DO UPDATE SET hash = excluded.hash`, key, hash)
	return err
}

func (d *dialect) Unfile(ctx context.Context, c sqlstore.Conn, key string) error {
	_, err := c.Exec(ctx, `DELETE FROM filed WHERE what = $1`, key)
	return err
}
