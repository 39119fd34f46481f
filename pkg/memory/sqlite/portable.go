package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// inserts holds the statement that inserts a record, by kind.
var inserts = map[string]string{
	"session":      `INSERT INTO sessions (n, id, campaign, started, ended) VALUES (?, ?, ?, ?, ?)`,
	"audience":     `INSERT INTO audiences (n, ids) VALUES (?, ?)`,
	"line":         `INSERT INTO lines (id, session, turn, speaker, npc, heard, text, at, user, ref, dm, audience, day, date) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	"fact":         `INSERT INTO facts (id, source, text, at, audience, day, date, topic, stated, since_day, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	"entity":       `INSERT INTO entities (id, type, name, description, aliases, attributes, visible, x, y, z, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	"relation":     `INSERT INTO relations (src, type, dst, note, visible) VALUES (?, ?, ?, ?, ?)`,
	"state":        `INSERT INTO state (space, key, value) VALUES (?, ?, ?)`,
	"filed":        `INSERT INTO filed (what, hash) VALUES (?, ?)`,
	"world_change": `INSERT INTO world_changes (seq, at, who, cause, data, undoes, undone) VALUES (?, ?, ?, ?, ?, ?, ?)`,
	"forgetting":   `INSERT INTO forgetting (user, line) VALUES (?, ?)`,
}

// WriteLong is Write, because a transaction that has begun always runs to its end.
func (d *dialect) WriteLong(ctx context.Context, doing string, fn func(context.Context, sqlstore.Conn) error) error {
	return d.Write(ctx, doing, fn)
}

func (d *dialect) DeleteAll(ctx context.Context, c sqlstore.Conn) error {
	spaces, err := sqlstore.Rows(ctx, c, `SELECT n FROM vector_spaces`, nil, sqlstore.ScanID)
	if err != nil {
		return err
	}
	for _, n := range spaces {
		if err := c.(*conn).script(ctx, `DROP TABLE IF EXISTS `+vectorTable(n)); err != nil {
			return err
		}
	}
	return c.(*conn).script(ctx, `DELETE FROM vector_spaces; DELETE FROM orders; DELETE FROM plans; DELETE FROM forgetting;
		INSERT INTO lines_text (lines_text) VALUES ('delete-all'); INSERT INTO facts_text (facts_text) VALUES ('delete-all');
		DELETE FROM lines; DELETE FROM facts; DELETE FROM speakers; DELETE FROM sessions; DELETE FROM audiences WHERE n <> 0;
		DELETE FROM relations; DELETE FROM entities; DELETE FROM state; DELETE FROM filed; DELETE FROM world_changes`)
}

func (d *dialect) NewLoader(s *sqlstore.Store, c sqlstore.Conn) sqlstore.Loader { return loader{s, c} }

// loader inserts records one by one.
type loader struct {
	s *sqlstore.Store
	c sqlstore.Conn
}

func (l loader) Add(ctx context.Context, r memory.Record) error {
	args := r.Values
	switch r.Kind {
	case "entity":
		args = append(slices.Clone(args), words.Key(r.Values[2].(string)))
	case "forgetting":
		args = []any{args[0], args[4]}
	}
	if _, err := l.c.Exec(ctx, inserts[r.Kind], args...); err != nil {
		return fmt.Errorf("%s: %w", r.Kind, err)
	}
	switch r.Kind {
	case "line":
		return indexLine(ctx, l.c, r.Values[0].(int64), r.Values[1].(int64), r.Values[6].(string))
	case "fact":
		return indexFact(ctx, l.c, r.Values[0].(int64), r.Values[2].(string))
	case "entity":
		e, err := sqlstore.NamedIn(r)
		if err != nil {
			return err
		}
		return sqlstore.PutNames(ctx, l.s, l.c, e)
	}
	return nil
}

func (l loader) Finish(context.Context) error { return nil }

// checks cover constraints that SQLite does not enforce.
var checks = []sqlstore.Check{
	{Query: `SELECT count(*) FROM (SELECT DISTINCT user, speaker, session FROM lines WHERE user <> '' EXCEPT SELECT user, speaker, session FROM speakers)`, Wrong: "speakers are not noted"},
	{Query: `SELECT count(*) FROM lines l WHERE NOT EXISTS (SELECT 1 FROM audiences WHERE n = l.audience)`, Wrong: "lines have nobody's audience"},
	{Query: `SELECT count(*) FROM facts f WHERE NOT EXISTS (SELECT 1 FROM audiences WHERE n = f.audience)`, Wrong: "facts have nobody's audience"},
	{Query: `SELECT count(*) FROM pragma_foreign_key_check`, Wrong: "records refer to what is not there"},
}

// Verify compares the full-text index with the lines and checks the file for damage.
func (d *dialect) Verify(ctx context.Context, c sqlstore.Conn) ([]string, error) {
	wrong, err := verifyText(ctx, c)
	if err != nil {
		return nil, err
	}
	damage, err := sqlstore.Rows(ctx, c, `PRAGMA quick_check(10)`, nil, sqlstore.ScanText)
	return append(wrong, slices.DeleteFunc(damage, func(text string) bool { return text == "ok" })...), err
}

// verifyText compares the number of indexed lines with the number of lines, by session. It does nothing while
// a user is being forgotten.
func verifyText(ctx context.Context, c sqlstore.Conn) (wrong []string, err error) {
	var forgetting bool
	if err := c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM forgetting)`, nil, &forgetting); err != nil || forgetting {
		return nil, err
	}
	type counted struct{ n, lines int64 }
	sessions, err := sqlstore.Rows(ctx, c, `SELECT session, count(*) FROM lines GROUP BY session`, nil, func(r sqlstore.Row) (x counted, err error) { return x, r.Scan(&x.n, &x.lines) })
	if err != nil {
		return nil, err
	}
	for _, x := range sessions {
		var found int64
		if err := c.Row(ctx, `SELECT count(*) FROM lines_text WHERE lines_text MATCH ?`, []any{`"` + sessionWord(x.n) + `"`}, &found); err != nil {
			return nil, err
		}
		if found != x.lines {
			wrong = append(wrong, fmt.Sprintf("of the %d lines of session %d the full text leads to %d", x.lines, x.n, found))
		}
	}
	return wrong, nil
}
