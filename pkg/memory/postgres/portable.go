package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// loadedAtOnce is the number of records of a kind sent to the server in one batch.
const loadedAtOnce = 1000

// target is the table of a kind and its columns, those of the kind first.
type target struct {
	table   string
	columns string
}

var targets = map[string]target{
	"session":      {"sessions", "n id campaign started ended"},
	"audience":     {"audiences", "n ids"},
	"line":         {"lines", "id session turn speaker npc heard text at said_by ref dm audience day date"},
	"fact":         {"facts", "id source text at audience day date topic stated since_day since hash"},
	"entity":       {"entities", "id type name description aliases attributes visible x y z key"},
	"relation":     {"relations", "src type dst note visible"},
	"state":        {"state", "space key value"},
	"filed":        {"filed", "what hash id"},
	"world_change": {"world_changes", "seq at who cause data undoes undone"},
	"forgetting":   {"forgetting", "said_by line"},
}

// WriteLong runs fn in one transaction that ends with ctx.
func (d *dialect) WriteLong(ctx context.Context, doing string, fn func(context.Context, sqlstore.Conn) error) error {
	if err := d.db.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer d.db.endCall()
	_, err := d.db.transact(ctx, ctx, pgx.TxOptions{}, func(c conn) error {
		if _, err := c.Exec(ctx, takeTurn); err != nil {
			return err
		}
		return fn(ctx, c)
	})
	if errors.Is(err, memory.ErrNotEmpty) || errors.Is(err, memory.ErrDiffers) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return d.db.explain(ctx, doing, err)
}

func (d *dialect) DeleteAll(ctx context.Context, c sqlstore.Conn) error {
	spaces, err := sqlstore.Rows(ctx, c, `SELECT n FROM vector_spaces`, nil, sqlstore.ScanID)
	if err != nil {
		return err
	}
	for _, n := range spaces {
		if _, err := c.Exec(ctx, `DROP TABLE IF EXISTS `+vectorTable(n)); err != nil {
			return err
		}
	}
	_, err = c.Exec(ctx, `TRUNCATE vector_spaces, lines, line_words, facts, fact_words, sessions, relations, entity_names, entity_words, entities, state, filed, world_changes, forgetting, plans, orders`)
	if err == nil {
		_, err = c.Exec(ctx, `DELETE FROM audiences WHERE n <> 0`)
	}
	return err
}

func (d *dialect) NewLoader(s *sqlstore.Store, c sqlstore.Conn) sqlstore.Loader {
	return &loading{s: s, c: c.(conn)}
}

// loading collects records of one kind and sends them to the server in batches.
type loading struct {
	s        *sqlstore.Store
	c        conn
	kind     string
	rows     [][]any
	postings postings
	facts    [][]any // words with the ids of their facts
	entities []memory.Entity
}

func (l *loading) Add(ctx context.Context, r memory.Record) error {
	if r.Kind != l.kind || len(l.rows) >= loadedAtOnce {
		if err := l.send(ctx); err != nil {
			return err
		}
		l.kind = r.Kind
	}
	values := slices.Clone(r.Values)
	for i, v := range values {
		if text, ok := v.(string); ok {
			values[i] = escapeText(text)
		}
	}
	switch r.Kind {
	case "line":
		values[10] = r.Values[10] != int64(0)
		l.postings.add(r.Values[0].(int64), r.Values[1].(int64), r.Values[6].(string))
	case "fact":
		values = append(values, factHash(r.Values[1].(string), r.Values[2].(string)))
		for _, w := range wordsOf(r.Values[2].(string)) {
			l.facts = append(l.facts, []any{w, r.Values[0]})
		}
	case "entity":
		values = append(values, clip(words.Key(r.Values[2].(string))))
		e, err := sqlstore.NamedIn(r)
		if err != nil {
			return err
		}
		l.entities = append(l.entities, e)
	case "forgetting":
		values = []any{values[0], values[4]}
	case "filed":
		values = append(values, filedID(r.Values[0].(string)))
	}
	l.rows = append(l.rows, values)
	return nil
}

// send sends the collected records to the server.
func (l *loading) send(ctx context.Context) error {
	if len(l.rows) == 0 {
		return nil
	}
	t := targets[l.kind]
	if _, err := l.c.tx.CopyFrom(ctx, pgx.Identifier{t.table}, strings.Fields(t.columns), pgx.CopyFromRows(l.rows)); err != nil {
		return fmt.Errorf("%s: %w", l.kind, err)
	}
	if err := l.postings.insert(ctx, l.c); err != nil {
		return err
	}
	if len(l.facts) > 0 {
		if _, err := l.c.tx.CopyFrom(ctx, pgx.Identifier{"fact_words"}, []string{"word", "fact"}, pgx.CopyFromRows(l.facts)); err != nil {
			return err
		}
	}
	for _, e := range l.entities {
		if err := sqlstore.PutNames(ctx, l.s, l.c, e); err != nil {
			return err
		}
	}
	l.rows, l.postings, l.facts, l.entities = nil, postings{}, nil, nil
	return nil
}

// Finish sends the remaining records and sets the sequences so that new rows get higher ids.
func (l *loading) Finish(ctx context.Context) error {
	if err := l.send(ctx); err != nil {
		return err
	}
	for _, serial := range [][2]string{{"sessions", "n"}, {"audiences", "n"}, {"lines", "id"}, {"facts", "id"}} {
		if _, err := l.c.Exec(ctx, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT coalesce(max(%[2]s), 0) + 1 FROM %[1]s), false)`, serial[0], serial[1])); err != nil {
			return err
		}
	}
	_, err := l.c.Exec(ctx, `UPDATE sessions s SET lines = (SELECT count(*) FROM lines WHERE session = s.n)`)
	return err
}

// checks cover constraints that the server does not enforce.
var checks = []sqlstore.Check{
	{Query: `SELECT count(*) FROM line_words w LEFT JOIN lines l ON l.id = w.line WHERE l.session IS DISTINCT FROM w.session`, Wrong: "words of lines lead elsewhere"},
}

// Verify compares the indexed words of lines and facts with their texts.
func (d *dialect) Verify(ctx context.Context, c sqlstore.Conn) (wrong []string, err error) {
	for _, text := range []struct{ what, lost string }{
		{"lines", `SELECT l.text, coalesce((SELECT count(*) FROM line_words WHERE line = l.id), 0) FROM lines l`},
		{"facts", `SELECT f.text, coalesce((SELECT count(*) FROM fact_words WHERE fact = f.id), 0) FROM facts f`},
	} {
		n, err := missingWords(ctx, c, text.lost)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s are not found by all of their words", n, text.what))
		}
	}
	return wrong, nil
}

// missingWords counts the texts with a wrong number of indexed words.
func missingWords(ctx context.Context, c sqlstore.Conn, query string) (n int, err error) {
	err = c.Each(ctx, query, nil, func(r sqlstore.Row) error {
		var text string
		var found int
		err := r.Scan(&text, &found)
		if len(wordsOf(text)) != found {
			n++
		}
		return err
	})
	return n, err
}
