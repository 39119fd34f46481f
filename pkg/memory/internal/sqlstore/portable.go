package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// newDumps returns the queries that select the records of each kind, with the kind's columns in order.
func newDumps(d Syntax) map[string]string {
	return map[string]string{
		"session":      `SELECT n, id, campaign, started, ended FROM sessions ORDER BY n`,
		"audience":     `SELECT n, ids FROM audiences WHERE n <> 0 ORDER BY n`,
		"line":         `SELECT id, session, turn, speaker, npc, heard, text, at, ` + d.User + `, ref, CAST(CAST(dm AS integer) AS bigint), audience, day, date FROM lines ORDER BY id`,
		"fact":         `SELECT id, source, text, at, audience, day, date, topic, stated, since_day, since FROM facts ORDER BY id`,
		"entity":       `SELECT id, type, name, description, aliases, attributes, visible, x, y, z FROM entities ORDER BY id`,
		"relation":     `SELECT src, type, dst, note, visible FROM relations ORDER BY src, type, dst`,
		"state":        `SELECT space, key, value FROM state ORDER BY space, key`,
		"filed":        `SELECT what, hash FROM filed ORDER BY ` + d.FiledBy,
		"world_change": `SELECT seq, at, who, cause, data, undoes, undone FROM world_changes ORDER BY seq`,
		"indexed":      `SELECT line FROM indexed_lines`,
		"forgetting":   `SELECT ` + d.User + `, '[]', '[]', '', line, CAST(0 AS bigint) FROM forgetting ORDER BY ` + d.User,
	}
}

// Dump passes every record of one snapshot to yield. It only reads and blocks no other caller.
func (s *Store) Dump(ctx context.Context, yield func(memory.Record) error) error {
	var refused error
	return s.d.ReadSnapshot(ctx, "reading all that is kept", func(c Conn) error {
		if refused != nil { // records that were yielded cannot be yielded again
			return refused
		}
		given := false
		err := s.dump(ctx, c, func(r memory.Record) error {
			given = true
			return yield(r)
		})
		if given {
			refused = err
		}
		return err
	})
}

func (s *Store) dump(ctx context.Context, c Conn, yield func(memory.Record) error) error {
	for _, kind := range memory.Kinds() {
		types := kind.Types()
		values, into := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			into[i] = &values[i]
		}
		err := c.Each(ctx, s.dumps[kind.Name], nil, func(r Row) error {
			if err := r.Scan(into...); err != nil {
				return err
			}
			return yield(memory.Record{Kind: kind.Name, Values: recorded(values, types)})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recorded returns values in the form that records use. It is needed because drivers do not distinguish NULL
// from empty bytes, or bytes from text.
func recorded(values []any, types []string) []any {
	out := slices.Clone(values)
	for i, v := range out {
		b, bytes := v.([]byte)
		switch {
		case bytes && strings.HasPrefix(types[i], "t"):
			out[i] = string(b)
		case types[i] == "b" && len(b) == 0:
			out[i] = []byte{}
		case types[i] == "b?" && len(b) == 0:
			out[i] = nil
		}
	}
	return out
}

// Load inserts all records or none; see [memory.Portable].
func (s *Store) Load(ctx context.Context, replace bool, records iter.Seq2[memory.Record, error]) (memory.Tally, error) {
	defer s.replaced()
	came := memory.Tally{}
	err := s.d.WriteLong(ctx, "taking records in", func(work context.Context, c Conn) error {
		if err := s.makeRoom(work, c, replace); err != nil {
			return err
		}
		l := s.d.NewLoader(s, c)
		for r, err := range records {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = came.Add(r)
			}
			if err == nil {
				err = loadRecord(work, c, l, r)
			}
			if err != nil {
				return fmt.Errorf("record %d: %w", came.Total(), err)
			}
		}
		if err := l.Finish(work); err != nil {
			return err
		}
		there := memory.Tally{}
		if err := s.dump(work, c, there.Add); err != nil {
			return err
		}
		return came.Compare(there)
	})
	return came, err
}

// replaced discards all cached data, because the content of the store was replaced.
func (s *Store) replaced() {
	s.claim.Store(0)
	s.lineCache.Forget()
	s.signalUnindexed()
}

func loadRecord(ctx context.Context, c Conn, l Loader, r memory.Record) error {
	if r.Kind == "indexed" {
		_, err := c.Exec(ctx, `UPDATE indexed_lines SET line = $1`, r.Values[0])
		return err
	}
	return l.Add(ctx, r)
}

// NamedIn returns the entity of a record with the fields that [PutNames] needs.
func NamedIn(r memory.Record) (memory.Entity, error) {
	e := memory.Entity{ID: r.Values[0].(string), Name: r.Values[2].(string)}
	if aliases, ok := r.Values[4].(string); ok {
		if err := json.Unmarshal([]byte(aliases), &e.Aliases); err != nil {
			return e, fmt.Errorf("aliases of %q: %w", e.ID, err)
		}
	}
	return e, nil
}

// makeRoom empties the tables if replace is set. Otherwise it checks that they are empty.
func (s *Store) makeRoom(ctx context.Context, c Conn, replace bool) error {
	if replace {
		if err := s.d.DeleteAll(ctx, c); err != nil {
			return err
		}
	} else {
		for _, kind := range slices.Sorted(maps.Keys(s.dumps)) {
			if kind == "indexed" {
				continue
			}
			var some bool
			if err := c.Row(ctx, `SELECT EXISTS (`+s.dumps[kind]+`)`, nil, &some); err != nil {
				return err
			}
			if some {
				return memory.ErrNotEmpty
			}
		}
	}
	_, err := c.Exec(ctx, `UPDATE indexed_lines SET line = 0`)
	return err
}

// checks are the checks of [Store.Verify] for all databases.
var checks = []Check{
	{`SELECT count(*) FROM sessions s WHERE s.lines <> (SELECT count(*) FROM lines WHERE session = s.n)`, "sessions count their lines wrongly"},
	{`SELECT count(*) FROM entities e WHERE e.key <> '' AND NOT EXISTS (SELECT 1 FROM entity_names WHERE entity = e.id)`, "entities are not found by their names"},
}

// Check is a query that counts problems, with a description of them.
type Check struct{ Query, Wrong string }

// Verify compares the search indexes with the records and runs the database's own checks.
func (s *Store) Verify(ctx context.Context) (wrong []string, err error) {
	err = s.d.ReadSnapshot(ctx, "comparing what is kept", func(c Conn) error {
		wrong = nil
		for _, check := range slices.Concat(checks, s.syntax.Checks) {
			var n int
			if err := c.Row(ctx, check.Query, nil, &n); err != nil {
				return err
			}
			if n > 0 {
				wrong = append(wrong, fmt.Sprintf("%d %s", n, check.Wrong))
			}
		}
		found, err := s.verifyVectors(ctx, c)
		if err != nil {
			return err
		}
		more, err := s.d.Verify(ctx, c)
		wrong = slices.Concat(wrong, more, found)
		return err
	})
	return wrong, err
}

func (s *Store) verifyVectors(ctx context.Context, c Conn) (wrong []string, err error) {
	space, err := s.latestSpace(ctx, c)
	if err != nil || space.N == 0 {
		return nil, err
	}
	var said int64
	if err := c.Row(ctx, `SELECT count(*) FROM facts WHERE embedded = $1`, []any{space.N}, &said); err != nil {
		return nil, err
	}
	there, err := s.d.CountVectors(ctx, c, space)
	if err == nil && said != there {
		wrong = append(wrong, fmt.Sprintf("%d facts are said to have a vector, and %d vectors are there", said, there))
	}
	return wrong, err
}
