package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// loadedAtOnce is how many records of a kind are sent to the server together.
const loadedAtOnce = 1000

// dumps select the records of each kind, in the order of its columns.
var dumps = map[string]string{
	"session":      `SELECT n, id, campaign, started, ended FROM sessions ORDER BY n`,
	"audience":     `SELECT n, ids FROM audiences WHERE n <> 0 ORDER BY n`,
	"line":         `SELECT id, session, turn, speaker, npc, heard, text, at, said_by, ref, dm::int::bigint, audience, day, date FROM lines ORDER BY id`,
	"fact":         `SELECT id, source, text, at, audience, day, date, topic, stated, since_day, since FROM facts ORDER BY id`,
	"entity":       `SELECT id, type, name, description, aliases, attributes, visible, x, y, z FROM entities ORDER BY id`,
	"relation":     `SELECT src, type, dst, note, visible FROM relations ORDER BY src, type, dst`,
	"state":        `SELECT space, key, value FROM state ORDER BY space, key`,
	"filed":        `SELECT what, hash FROM filed ORDER BY id`,
	"world_change": `SELECT seq, at, who, cause, data, undoes, undone FROM world_changes ORDER BY seq`,
	"indexed":      `SELECT line FROM indexed_lines`,
	"forgetting":   `SELECT said_by, '[]', '[]', '', line, 0::bigint FROM forgetting ORDER BY said_by`,
}

// target is the table of a kind, with the columns that are given: those of the kind first.
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

// Dump gives every record as it is at one moment. It reads, and holds nobody up.
func (s *database) Dump(ctx context.Context, yield func(memory.Record) error) error {
	var refused error
	err := s.read(ctx, "reading all that is kept", func(c conn) error {
		if refused != nil { // what was given cannot be given again
			return refused
		}
		given := false
		err := dump(ctx, c, func(r memory.Record) error {
			given = true
			return yield(r)
		})
		if given {
			refused = err
		}
		return err
	})
	return err
}

func dump(ctx context.Context, c conn, yield func(memory.Record) error) error {
	for _, kind := range memory.Kinds() {
		if err := dumpKind(ctx, c, kind, yield); err != nil {
			return err
		}
	}
	return nil
}

func dumpKind(ctx context.Context, c conn, kind memory.Kind, yield func(memory.Record) error) error {
	rs, err := c.tx.Query(ctx, dumps[kind.Name])
	if err != nil {
		return err
	}
	defer rs.Close()
	types := kind.Types()
	for rs.Next() {
		values, err := rs.Values()
		if err != nil {
			return err
		}
		for i, v := range values {
			switch v := v.(type) {
			case string:
				values[i] = restored(v)
			case []byte:
				if len(v) == 0 && types[i] == "b?" {
					values[i] = nil
				}
			}
		}
		if err := yield(memory.Record{Kind: kind.Name, Values: values}); err != nil {
			return err
		}
	}
	return rs.Err()
}

// Load takes records in, all of them or none.
func (s *Store) Load(ctx context.Context, replace bool, records iter.Seq2[memory.Record, error]) (memory.Tally, error) {
	const doing = "taking records in"
	if err := s.database.beginCall(); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	defer s.database.endCall()
	defer sqlstore.Replaced(s.memoryStore)
	came := memory.Tally{}
	_, err := s.database.transact(ctx, ctx, pgx.TxOptions{}, func(c conn) error {
		if _, err := c.Exec(ctx, takeTurn); err != nil {
			return err
		}
		if err := makeRoom(ctx, c, replace); err != nil {
			return err
		}
		l := &loading{s: s.memoryStore, c: c}
		for r, err := range records {
			if err == nil {
				err = came.Add(r)
			}
			if err == nil {
				err = l.add(ctx, r)
			}
			if err != nil {
				return fmt.Errorf("record %d: %w", came.Total(), err)
			}
		}
		if err := l.finish(ctx); err != nil {
			return err
		}
		there := memory.Tally{}
		if err := dump(ctx, c, there.Add); err != nil {
			return err
		}
		return came.Compare(there)
	})
	if errors.Is(err, memory.ErrNotEmpty) || errors.Is(err, memory.ErrDiffers) {
		return came, fmt.Errorf("%s: %w", doing, err)
	}
	return came, s.database.explain(ctx, doing, err)
}

// makeRoom has nothing in the tables.
func makeRoom(ctx context.Context, c conn, replace bool) error {
	if !replace {
		for _, kind := range slices.Sorted(maps.Keys(targets)) {
			var some bool
			if err := c.Row(ctx, `SELECT EXISTS (`+dumps[kind]+`)`, nil, &some); err != nil {
				return err
			}
			if some {
				return memory.ErrNotEmpty
			}
		}
	} else if err := deleteAll(ctx, c); err != nil {
		return err
	}
	_, err := c.Exec(ctx, `UPDATE indexed_lines SET line = 0`)
	return err
}

func deleteAll(ctx context.Context, c conn) error {
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

// loading gathers records of one kind for the server.
type loading struct {
	s        *sqlstore.Store
	c        conn
	kind     string
	rows     [][]any
	postings postings
	facts    [][]any // words with their facts
	entities []memory.Entity
}

func (l *loading) add(ctx context.Context, r memory.Record) error {
	if r.Kind != l.kind || len(l.rows) >= loadedAtOnce {
		if err := l.send(ctx); err != nil {
			return err
		}
		l.kind = r.Kind
	}
	if r.Kind == "indexed" {
		_, err := l.c.Exec(ctx, `UPDATE indexed_lines SET line = $1`, r.Values[0])
		return err
	}
	values := slices.Clone(r.Values)
	for i, v := range values {
		if text, ok := v.(string); ok {
			values[i] = keepable(text)
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
		e := memory.Entity{ID: r.Values[0].(string), Name: r.Values[2].(string)}
		if aliases, ok := r.Values[4].(string); ok {
			if err := json.Unmarshal([]byte(aliases), &e.Aliases); err != nil {
				return fmt.Errorf("aliases of %q: %w", e.ID, err)
			}
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

// send has the server take what is gathered.
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

// finish sends the rest and has new rows numbered after these.
func (l *loading) finish(ctx context.Context) error {
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

// checks count what is wrong with what records are found by, and say what it is.
var checks = []struct{ query, wrong string }{
	{`SELECT count(*) FROM line_words w LEFT JOIN lines l ON l.id = w.line WHERE l.session IS DISTINCT FROM w.session`, "words of lines lead elsewhere"},
	{`SELECT count(*) FROM sessions s WHERE s.lines <> (SELECT count(*) FROM lines WHERE session = s.n)`, "sessions count their lines wrongly"},
	{`SELECT count(*) FROM entities e WHERE e.key <> '' AND NOT EXISTS (SELECT 1 FROM entity_names WHERE entity = e.id)`, "entities are not found by their names"},
}

// Verify compares what records are found by with the records.
func (s *Store) Verify(ctx context.Context) (wrong []string, err error) {
	err = s.read(ctx, "comparing what is kept", func(c conn) error {
		wrong = nil
		for _, check := range checks {
			var n int
			if err := c.Row(ctx, check.query, nil, &n); err != nil {
				return err
			}
			if n > 0 {
				wrong = append(wrong, fmt.Sprintf("%d %s", n, check.wrong))
			}
		}
		for _, text := range []struct{ what, lost string }{
			{"lines", `SELECT l.text, coalesce((SELECT count(*) FROM line_words WHERE line = l.id), 0) FROM lines l`},
			{"facts", `SELECT f.text, coalesce((SELECT count(*) FROM fact_words WHERE fact = f.id), 0) FROM facts f`},
		} {
			n, err := missingWords(ctx, c, text.lost)
			if err != nil {
				return err
			}
			if n > 0 {
				wrong = append(wrong, fmt.Sprintf("%d %s are not found by all of their words", n, text.what))
			}
		}
		return s.verifyVectors(ctx, c, &wrong)
	})
	return wrong, err
}

// missingWords counts the texts that are found by another number of words than they have.
func missingWords(ctx context.Context, c conn, query string) (n int, err error) {
	rs, err := c.tx.Query(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rs.Close()
	for rs.Next() {
		var text string
		var found int
		if err := rs.Scan(&text, &found); err != nil {
			return 0, err
		}
		if len(wordsOf(restored(text))) != found {
			n++
		}
	}
	return n, rs.Err()
}

func (s *Store) verifyVectors(ctx context.Context, c conn, wrong *[]string) error {
	space, err := sqlstore.LatestSpace(ctx, s.memoryStore, c)
	if err != nil || space.N == 0 {
		return err
	}
	var said, there int64
	if err := c.Row(ctx, `SELECT (SELECT count(*) FROM facts WHERE embedded = $1), (SELECT count(*) FROM `+vectorTable(space.N)+`)`, []any{space.N}, &said, &there); err != nil {
		return err
	}
	if said != there {
		*wrong = append(*wrong, fmt.Sprintf("%d facts are said to have a vector, and %d vectors are there", said, there))
	}
	return nil
}
