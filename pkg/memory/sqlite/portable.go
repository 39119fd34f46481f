package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// dumps select the records of each kind, in the order of its columns.
var dumps = map[string]string{
	"session":      `SELECT n, id, campaign, started, ended FROM sessions ORDER BY n`,
	"audience":     `SELECT n, ids FROM audiences WHERE n <> 0 ORDER BY n`,
	"line":         `SELECT id, session, turn, speaker, npc, heard, text, at, user, ref, dm, audience, day, date FROM lines ORDER BY id`,
	"fact":         `SELECT id, source, text, at, audience, day, date, topic, stated, since_day, since FROM facts ORDER BY id`,
	"entity":       `SELECT id, type, name, description, aliases, attributes, visible, x, y, z FROM entities ORDER BY id`,
	"relation":     `SELECT src, type, dst, note, visible FROM relations ORDER BY src, type, dst`,
	"state":        `SELECT space, key, value FROM state ORDER BY space, key`,
	"filed":        `SELECT what, hash FROM filed ORDER BY what`,
	"world_change": `SELECT seq, at, who, cause, data, undoes, undone FROM world_changes ORDER BY seq`,
	"indexed":      `SELECT line FROM indexed_lines`,
	"forgetting":   `SELECT user, '[]', '[]', '', line, 0 FROM forgetting ORDER BY user`,
}

// inserts take a record in, by kind.
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
	"indexed":      `UPDATE indexed_lines SET line = ?`,
	"forgetting":   `INSERT INTO forgetting (user, line) VALUES (?, ?)`,
}

// Dump gives every record as it is at one moment. It reads, and holds nobody up.
func (s *Store) Dump(ctx context.Context, yield func(memory.Record) error) error {
	return s.database.readSnapshot(ctx, "reading all that is kept", func(c *conn) error { return dump(ctx, c, yield) })
}

func dump(ctx context.Context, c *conn, yield func(memory.Record) error) error {
	for _, kind := range memory.Kinds() {
		if err := dumpKind(ctx, c, kind, yield); err != nil {
			return err
		}
	}
	return nil
}

func dumpKind(ctx context.Context, c *conn, kind memory.Kind, yield func(memory.Record) error) (err error) {
	st, err := c.stmt(ctx, dumps[kind.Name])
	if err != nil {
		return err
	}
	rs, err := st.QueryContext(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rs.Close()) }()
	types := kind.Types()
	values, into := make([]any, len(types)), make([]any, len(types))
	for i := range values {
		into[i] = &values[i]
	}
	for rs.Next() {
		if err := rs.Scan(into...); err != nil {
			return err
		}
		r := memory.Record{Kind: kind.Name, Values: slices.Clone(values)}
		for i, v := range r.Values {
			b, bytes := v.([]byte)
			switch {
			case bytes && strings.HasPrefix(types[i], "t"):
				r.Values[i] = string(b)
			case types[i] == "b" && len(b) == 0: // the driver makes no difference
				r.Values[i] = []byte{}
			case types[i] == "b?" && len(b) == 0:
				r.Values[i] = nil
			}
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return rs.Err()
}

// Load takes records in, all of them or none.
func (s *Store) Load(ctx context.Context, replace bool, records iter.Seq2[memory.Record, error]) (memory.Tally, error) {
	defer sqlstore.Replaced(s.memoryStore)
	came, there := memory.Tally{}, memory.Tally{}
	err := s.database.write(ctx, "taking records in", func(work context.Context, c *conn) error {
		if err := makeRoom(work, c, replace); err != nil {
			return err
		}
		for r, err := range records {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = came.Add(r)
			}
			if err == nil {
				err = s.loadRecord(work, c, r)
			}
			if err != nil {
				return fmt.Errorf("record %d: %w", came.Total(), err)
			}
		}
		if err := dump(work, c, there.Add); err != nil {
			return err
		}
		return came.Compare(there)
	})
	return came, err
}

// makeRoom has nothing in the tables.
func makeRoom(ctx context.Context, c *conn, replace bool) error {
	if !replace {
		for _, name := range slices.Sorted(maps.Keys(dumps)) {
			var some bool
			if name == "indexed" {
				continue
			}
			if err := c.Row(ctx, `SELECT EXISTS (`+dumps[name]+`)`, nil, &some); err != nil {
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

func deleteAll(ctx context.Context, c *conn) error {
	spaces, err := sqlstore.Rows(ctx, c, `SELECT n FROM vector_spaces`, nil, sqlstore.ScanID)
	if err != nil {
		return err
	}
	for _, n := range spaces {
		if err := c.script(ctx, `DROP TABLE IF EXISTS `+vectorTable(n)); err != nil {
			return err
		}
	}
	return c.script(ctx, `DELETE FROM vector_spaces; DELETE FROM orders; DELETE FROM plans; DELETE FROM forgetting;
		INSERT INTO lines_text (lines_text) VALUES ('delete-all'); INSERT INTO facts_text (facts_text) VALUES ('delete-all');
		DELETE FROM lines; DELETE FROM facts; DELETE FROM speakers; DELETE FROM sessions; DELETE FROM audiences WHERE n <> 0;
		DELETE FROM relations; DELETE FROM entities; DELETE FROM state; DELETE FROM filed; DELETE FROM world_changes`)
}

// loadRecord takes one record in, with what it is found by.
func (s *Store) loadRecord(ctx context.Context, c *conn, r memory.Record) error {
	args := r.Values
	switch r.Kind {
	case "entity":
		args = append(slices.Clone(args), words.Key(r.Values[2].(string)))
	case "forgetting":
		args = []any{args[0], args[4]}
	}
	if _, err := c.Exec(ctx, inserts[r.Kind], args...); err != nil {
		return fmt.Errorf("%s: %w", r.Kind, err)
	}
	switch r.Kind {
	case "line":
		_, err := c.Exec(ctx, `INSERT INTO lines_text (rowid, words) VALUES (?, ?)`, r.Values[0], lineWords(r.Values[1].(int64), words.Key(r.Values[6].(string))))
		return err
	case "fact":
		_, err := c.Exec(ctx, `INSERT INTO facts_text (rowid, words) VALUES (?, ?)`, r.Values[0], words.Key(r.Values[2].(string)))
		return err
	case "entity":
		e := memory.Entity{ID: r.Values[0].(string), Name: r.Values[2].(string)}
		if aliases, ok := r.Values[4].(string); ok {
			if err := json.Unmarshal([]byte(aliases), &e.Aliases); err != nil {
				return fmt.Errorf("aliases of %q: %w", e.ID, err)
			}
		}
		return sqlstore.PutNames(ctx, s.memoryStore, c, e)
	}
	return nil
}

// checks count what is wrong with what records are found by, and say what it is.
var checks = []struct{ query, wrong string }{
	{`SELECT count(*) FROM sessions s WHERE lines <> (SELECT count(*) FROM lines WHERE session = s.n)`, "sessions count their lines wrongly"},
	{`SELECT count(*) FROM (SELECT DISTINCT user, speaker, session FROM lines WHERE user <> '' EXCEPT SELECT user, speaker, session FROM speakers)`, "speakers are not noted"},
	{`SELECT count(*) FROM lines l WHERE NOT EXISTS (SELECT 1 FROM audiences WHERE n = l.audience)`, "lines have nobody's audience"},
	{`SELECT count(*) FROM facts f WHERE NOT EXISTS (SELECT 1 FROM audiences WHERE n = f.audience)`, "facts have nobody's audience"},
	{`SELECT count(*) FROM entities e WHERE e.key <> '' AND NOT EXISTS (SELECT 1 FROM entity_names WHERE entity = e.id)`, "entities are not found by their names"},
	{`SELECT count(*) FROM pragma_foreign_key_check`, "records refer to what is not there"},
}

// Verify compares what records are found by with the records, and the file with itself.
func (s *Store) Verify(ctx context.Context) (wrong []string, err error) {
	err = s.database.readSnapshot(ctx, "comparing what is kept", func(c *conn) error {
		for _, check := range checks {
			var n int
			if err := c.Row(ctx, check.query, nil, &n); err != nil {
				return err
			}
			if n > 0 {
				wrong = append(wrong, fmt.Sprintf("%d %s", n, check.wrong))
			}
		}
		found, err := s.verifyText(ctx, c)
		if err != nil {
			return err
		}
		wrong = append(wrong, found...)
		damage, err := sqlstore.Rows(ctx, c, `PRAGMA quick_check(10)`, nil, sqlstore.ScanText)
		wrong = append(wrong, slices.DeleteFunc(damage, func(text string) bool { return text == "ok" })...)
		return err
	})
	return wrong, err
}

// verifyText compares the full text and the vectors with lines and facts. Lines of sessions
// in which somebody is being forgotten are passed over.
func (s *Store) verifyText(ctx context.Context, c *conn) (wrong []string, err error) {
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
	space, err := sqlstore.LatestSpace(ctx, s.memoryStore, c)
	if err != nil || space.N == 0 {
		return wrong, err
	}
	var said, there int64
	if err := c.Row(ctx, `SELECT (SELECT count(*) FROM facts WHERE embedded = ?), (SELECT count(*) FROM `+vectorTable(space.N)+`)`, []any{space.N}, &said, &there); err != nil {
		return nil, err
	}
	if said != there {
		wrong = append(wrong, fmt.Sprintf("%d facts are said to have a vector, and %d vectors are there", said, there))
	}
	return wrong, nil
}
