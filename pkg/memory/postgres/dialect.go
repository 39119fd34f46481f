package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// dialect implements [sqlstore.Dialect] for PostgreSQL.
type dialect struct {
	db       *database
	syntax   sqlstore.Syntax
	sketched sketched
}

var _ sqlstore.Dialect = (*dialect)(nil)

func newDialect(db *database) *dialect {
	contains := func(column, param string) string {
		return `EXISTS (SELECT 1 FROM unnest(` + param + `::text[]) k WHERE strpos(` + column + `, k) > 0)`
	}
	return &dialect{db: db, syntax: sqlstore.Syntax{
		Least:    "least",
		User:     "said_by",
		SameFact: `hash = $1`,
		FactKey:  func(source, text string) []any { return []any{factHash(source, text)} },
		// The condition uses BETWEEN with equal bounds. With "=", the planner would assume that an unknown
		// user speaks as often as others, and scan the lines.
		KnowsUser: `SELECT EXISTS (SELECT 1 FROM lines WHERE said_by BETWEEN $1 AND $1 AND said_by <> '') OR EXISTS (SELECT 1 FROM forgetting WHERE said_by = $1)
			OR EXISTS (SELECT 1 FROM world_changes WHERE who = $1)`,
		BeginForgetting: `INSERT INTO forgetting (said_by, line) VALUES ($1, (SELECT coalesce(max(id), 0) FROM lines))
			ON CONFLICT (said_by) DO UPDATE SET line = excluded.line`,
		NamesOf:   `SELECT DISTINCT speaker COLLATE "C" AS name FROM lines WHERE said_by = $1 AND said_by <> '' ORDER BY name`,
		FiledBy:   "id",
		Checks:    checks,
		SpaceKind: "kind",
		Kind:      db.kind(),
		List: func(param, kind string) string {
			return `unnest(` + param + `::` + kind + `[]) WITH ORDINALITY j (value, key)`
		},
		Contains: contains,
		Heard: func(table, param string) string {
			return table + `.audience = ANY (ARRAY(SELECT a.n FROM audiences a WHERE a.n = 0 OR ` + contains("a.ids", param) + `))`
		},
		Clip:         clip,
		Reach:        reach,
		RemovedLines: 200,
	}}
}

func (d *dialect) Syntax() sqlstore.Syntax { return d.syntax }

// reach follows both directions in one query, because a recursive query may refer to itself only once.
func reach(visible func(table string) string) string {
	return `WITH RECURSIVE
	walk (id, depth) AS (
		SELECT $1::text COLLATE "C", 0
		UNION
		SELECT e.id, walk.depth + 1 FROM walk
			JOIN relations r ON (r.src = walk.id OR r.dst = walk.id) AND ` + visible("r") + `
			JOIN entities e ON e.id = CASE WHEN r.src = walk.id THEN r.dst ELSE r.src END AND ` + visible("e") + `
			WHERE walk.depth < $3
	),
	near (id, depth) AS MATERIALIZED (SELECT id, min(depth) FROM walk GROUP BY id)
`
}

func (d *dialect) Read(ctx context.Context, doing string, fn func(sqlstore.Conn) error) error {
	return d.db.read(ctx, doing, func(c conn) error { return fn(c) })
}

// ReadSnapshot is Read, because every read transaction has one snapshot.
func (d *dialect) ReadSnapshot(ctx context.Context, doing string, fn func(sqlstore.Conn) error) error {
	return d.Read(ctx, doing, fn)
}

func (d *dialect) Write(ctx context.Context, doing string, fn func(context.Context, sqlstore.Conn) error) error {
	return d.db.write(ctx, doing, func(ctx context.Context, c conn) error { return fn(ctx, c) })
}

func (d *dialect) WriteUnsynced(ctx context.Context, doing string, fn func(context.Context, sqlstore.Conn) error) error {
	return d.db.writeUnsynced(ctx, doing, func(ctx context.Context, c conn) error { return fn(ctx, c) })
}

// InsertLines sends all lines in one batch, and then all their words.
func (d *dialect) InsertLines(ctx context.Context, c sqlstore.Conn, lines []sqlstore.Utterance) error {
	count := map[int64]int{}
	var inserts pgx.Batch
	var postings postings
	for i := range lines {
		l := &lines[i]
		day, date := sqlstore.Day(l.Date)
		inserts.Queue(`INSERT INTO lines (session, turn, speaker, npc, heard, text, at, said_by, ref, dm, audience, day, date)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
			storableArgs([]any{l.SessionNumber, l.Turn, l.Speaker, l.NPC, l.To, l.Text, l.At.UnixMicro(), l.User, l.Ref, l.DM, l.Audience, day, date})...).QueryRow(func(r pgx.Row) error {
			err := r.Scan(&l.ID)
			postings.add(l.ID, l.SessionNumber, l.Text)
			return err
		})
		count[l.SessionNumber]++
	}
	for n, more := range count {
		inserts.Queue(`UPDATE sessions SET lines = lines + $2 WHERE n = $1`, n, more)
	}
	if err := c.(conn).tx.SendBatch(ctx, &inserts).Close(); err != nil {
		return err
	}
	return postings.insert(ctx, c)
}

// postings are words with the lines that contain them.
type postings struct {
	words          []string
	lines, session []int64
}

func (p *postings) add(line, session int64, text string) {
	for _, w := range wordsOf(text) {
		p.words, p.lines, p.session = append(p.words, w), append(p.lines, line), append(p.session, session)
	}
}

func (p *postings) insert(ctx context.Context, c sqlstore.Conn) error {
	if len(p.words) == 0 {
		return nil
	}
	_, err := c.Exec(ctx, `INSERT INTO line_words (word, line, session) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])`, p.words, p.lines, p.session)
	return err
}

func (d *dialect) DeleteLines(ctx context.Context, c sqlstore.Conn, lines []sqlstore.Utterance) error {
	ids := make([]int64, len(lines))
	for i, l := range lines {
		ids[i] = l.ID
	}
	_, err := c.Exec(ctx, `WITH gone AS (DELETE FROM lines WHERE id = ANY($1) RETURNING session)
		UPDATE sessions s SET lines = lines - g.n FROM (SELECT session, count(*) AS n FROM gone GROUP BY session) g WHERE s.n = g.session`, ids)
	return err
}

func (d *dialect) ReplaceWords(ctx context.Context, c sqlstore.Conn, old sqlstore.Utterance, text string) error {
	if _, err := c.Exec(ctx, `DELETE FROM line_words WHERE line = $1`, old.ID); err != nil {
		return err
	}
	var now postings
	now.add(old.ID, old.SessionNumber, text)
	return now.insert(ctx, c)
}

func (d *dialect) StillProduced(ctx context.Context, c sqlstore.Conn, session int64, texts []string) ([]string, error) {
	return sqlstore.Rows(ctx, c, `SELECT speaker || ': ' || text FROM lines WHERE session = $1 AND speaker || ': ' || text = ANY($2)`,
		[]any{session, texts}, sqlstore.ScanText)
}

// Hidden returns nil. While a user is being forgotten, lines that are not deleted yet are still found.
func (d *dialect) Hidden(context.Context, sqlstore.Conn) (func(memory.Line) bool, error) {
	return nil, nil
}

func (d *dialect) HideFacts(_ context.Context, _ sqlstore.Conn, all []memory.FactHit) ([]memory.FactHit, error) {
	return all, nil
}

func (d *dialect) InsertFact(ctx context.Context, c sqlstore.Conn, f sqlstore.NewFact) (id int64, err error) {
	day, date := sqlstore.Day(f.Date)
	since, sinceDate := sqlstore.Day(f.Since)
	err = c.Row(ctx, `INSERT INTO facts (hash, source, text, at, audience, day, date, topic, stated, since_day, since)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $4, $9, $10) RETURNING id`,
		[]any{factHash(f.Source, f.Text), f.Source, f.Text, f.At.UnixMicro(), f.Audience, day, date, f.Topic, since, sinceDate}, &id)
	if err != nil {
		return 0, err
	}
	_, err = c.Exec(ctx, `INSERT INTO fact_words (word, fact) SELECT unnest($1::text[]), $2`, wordsOf(f.Text), id)
	return id, err
}

func (d *dialect) DeleteFacts(ctx context.Context, c sqlstore.Conn, source string, texts []string) error {
	hashes := make([][]byte, len(texts))
	for i, text := range texts {
		hashes[i] = factHash(source, text)
	}
	_, err := c.Exec(ctx, `DELETE FROM facts WHERE hash = ANY($1::bytea[])`, hashes)
	return err
}

func (d *dialect) FindLines(c sqlstore.Conn, f sqlstore.LineFilter) sqlstore.FullTextIndex {
	x := textIndex{c: c.(conn), table: "line_words", column: "line", size: `SELECT coalesce(max(id), 0) FROM lines`}
	condition, args := sqlstore.NarrowLines(d.syntax, f, nil)
	if condition != "" {
		x.scope = `(SELECT true FROM lines l WHERE l.id = w.line` + condition + `)`
	}
	if f.Session != 0 {
		// The lines of a session have ids close together, so that few other lines are read.
		args = append(args, f.Session)
		x.within = fmt.Sprintf(`w.session = $%d AND w.line BETWEEN (SELECT min(id) FROM lines WHERE session = $%[1]d) AND (SELECT max(id) FROM lines WHERE session = $%[1]d)`, len(args))
	}
	x.args = args
	return x
}

func (d *dialect) FindFacts(c sqlstore.Conn, keys []string, space int64) sqlstore.FullTextIndex {
	return textIndex{
		c: c.(conn), table: "fact_words", column: "fact", size: `SELECT coalesce(max(id), 0) FROM facts`,
		scope: `(SELECT true FROM facts f WHERE f.id = w.fact AND ` + d.syntax.Heard("f", "$1") + ` AND ($2::bigint = 0 OR f.embedded <> $2))`,
		args:  []any{keys, space},
	}
}

// filedID returns the id of an entry: a hash, because its key may be too long for an index.
func filedID(key string) []byte {
	id := sha256.Sum256([]byte(key))
	return id[:]
}

func (d *dialect) Filed(ctx context.Context, c sqlstore.Conn, keys []string) (map[string][]byte, error) {
	ids, keyOf := make([][]byte, len(keys)), make(map[string]string, len(keys))
	for i, key := range keys {
		ids[i] = filedID(key)
		keyOf[string(ids[i])] = key
	}
	last := make(map[string][]byte, len(keys))
	err := c.Each(ctx, `SELECT id, hash FROM filed WHERE id = ANY($1)`, []any{ids}, func(r sqlstore.Row) error {
		var id, hash []byte
		err := r.Scan(&id, &hash)
		last[keyOf[string(id)]] = hash
		return err
	})
	return last, err
}

func (d *dialect) File(ctx context.Context, c sqlstore.Conn, key string, hash []byte) error {
	_, err := c.Exec(ctx, `INSERT INTO filed (id, what, hash) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash`, filedID(key), key, hash)
	return err
}

func (d *dialect) Unfile(ctx context.Context, c sqlstore.Conn, key string) error {
	_, err := c.Exec(ctx, `DELETE FROM filed WHERE id = $1`, filedID(key))
	return err
}
