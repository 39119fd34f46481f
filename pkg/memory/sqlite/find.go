package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	defaultEntities = 20
	// lastRune ends the range of all words with a given beginning.
	lastRune = "\U0010FFFF"
)

const (
	listEntities = `SELECT ` + entityColumns + ` FROM entities e
	WHERE (:type = '' OR e.type = :type) AND ` + visibleEntity + `
	ORDER BY e.key, e.id LIMIT :limit`

	// matchEntities ranks: 0 name, 1 alias, 2 beginning of either, 3 words of
	// either, 4 beginnings of words. Within a rank, more matching words win.
	matchEntities = `WITH hit (id, rank, matched) AS (
		SELECT entity, min(alias, 1), 0 FROM entity_names WHERE key = :key
		UNION ALL
		SELECT entity, 2, 0 FROM entity_names WHERE key >= :key AND key < :key || :last
		UNION ALL
		SELECT w.entity, 3, count(*) FROM json_each(:words) j JOIN entity_words w ON w.word = j.value
			GROUP BY w.entity
		UNION ALL
		SELECT w.entity, 4, count(DISTINCT j.value) FROM json_each(:words) j
			JOIN entity_words w ON w.word >= j.value AND w.word < j.value || :last
			WHERE length(j.value) >= 3 GROUP BY w.entity
	)
	SELECT ` + entityColumns + ` FROM (SELECT id, min(rank) rank, max(matched) matched FROM hit GROUP BY id) h
	JOIN entities e ON e.id = h.id
	WHERE (:type = '' OR e.type = :type) AND ` + visibleEntity + `
	ORDER BY h.rank, h.matched DESC, e.key, e.id LIMIT :limit`

	// similarLength selects the words that can be within two edits.
	similarLength = `SELECT w.word, w.entity FROM entity_words w JOIN entities e ON e.id = w.entity
	WHERE w.runes BETWEEN :runes - :edits AND :runes + :edits
		AND (:type = '' OR e.type = :type) AND ` + visibleEntity

	loadEntities = `SELECT ` + entityColumns + ` FROM json_each(:ids) j JOIN entities e ON e.id = j.value
	WHERE ` + visibleEntity + ` ORDER BY j.key`
)

// FindEntities returns matching entities, best first: the name itself, an
// alias, the beginning of either, words of either, beginnings of words. If
// there is nothing of all that, words that sound misheard match: one edit
// from four letters on, two from eight. Names compare without case, accents
// and punctuation, types without case. An empty Name lists all by name.
func (s *Store) FindEntities(ctx context.Context, q memory.EntityQuery) (out []memory.Entity, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultEntities
	}
	scope := []any{
		sql.Named("type", q.Type),
		sql.Named("viewer", viewerKey(q.Viewer)),
		sql.Named("limit", q.Limit),
	}
	err = s.snapshot(ctx, "finding entities", func(c *conn) error {
		if q.Name == "" {
			out, err = rows(ctx, c, listEntities, scope, scanEntity)
			return err
		}
		asked := telling(words.Split(q.Name))
		if len(asked) == 0 {
			return nil
		}
		if out, err = match(ctx, c, q.Name, asked, scope); err != nil || len(out) > 0 {
			return err
		}
		out, err = misheard(ctx, c, asked, q, scope)
		return err
	})
	return out, err
}

// telling returns the different words without stop words, or all if there are
// no others.
func telling(all []string) []string {
	out := slices.DeleteFunc(slices.Clone(all), words.Stop)
	if len(out) == 0 {
		out = slices.Clone(all)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxTerms)]
}

func match(ctx context.Context, c *conn, name string, asked []string, scope []any) ([]memory.Entity, error) {
	list, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(scope),
		sql.Named("key", words.Key(name)),
		sql.Named("words", string(list)),
		sql.Named("last", lastRune),
	)
	return rows(ctx, c, matchEntities, args, scanEntity)
}

// misheard finds entities by words a few edits away.
func misheard(ctx context.Context, c *conn, asked []string, q memory.EntityQuery, scope []any) ([]memory.Entity, error) {
	type likeness struct {
		id             string
		matched, edits int
	}
	best := make(map[string]likeness)
	for _, a := range asked {
		n := utf8.RuneCountInString(a)
		allowed := edits(n)
		if allowed == 0 {
			continue
		}
		type named struct{ word, id string }
		near, err := rows(ctx, c, similarLength, append(slices.Clone(scope[:2]), sql.Named("runes", n), sql.Named("edits", allowed)),
			func(r *sql.Rows) (w named, err error) { return w, r.Scan(&w.word, &w.id) })
		if err != nil {
			return nil, err
		}
		closest := make(map[string]int) // edits by entity for this word
		for _, w := range near {
			d := distance(a, w.word, allowed)
			if old, seen := closest[w.id]; d <= allowed && (!seen || d < old) {
				closest[w.id] = d
			}
		}
		for id, d := range closest {
			l := best[id]
			best[id] = likeness{id, l.matched + 1, l.edits + d}
		}
	}
	found := make([]likeness, 0, len(best))
	for _, l := range best {
		found = append(found, l)
	}
	slices.SortFunc(found, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.matched, a.matched), cmp.Compare(a.edits, b.edits), cmp.Compare(a.id, b.id))
	})
	ids := make([]string, 0, q.Limit)
	for _, l := range found[:min(len(found), q.Limit)] {
		ids = append(ids, l.id)
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return rows(ctx, c, loadEntities, []any{sql.Named("ids", string(list)), scope[1]}, scanEntity)
}

// edits is how many edits a word of n runes may be away and still be meant.
func edits(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}
