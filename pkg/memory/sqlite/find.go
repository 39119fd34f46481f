package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/spelling"
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
	ORDER BY e.key, e.id LIMIT :limit + 0`

	// matchEntities ranks: 0 name, 1 alias, 2 beginning of either, 3 words of
	// either, 4 beginnings of words. Within a rank, more matching words win.
	matchEntities = `WITH hit (id, rank, matched) AS (
		SELECT entity, min(alias, 1), 0 FROM entity_names WHERE key = :key
		UNION ALL
		SELECT entity, 2, 0 FROM entity_names WHERE NOT :exact AND key >= :key AND key < :key || :last
		UNION ALL
		SELECT w.entity, 3, count(*) FROM json_each(:words) j CROSS JOIN entity_words w ON w.word = j.value
			GROUP BY w.entity
		UNION ALL
		SELECT w.entity, 4, count(DISTINCT j.value) FROM json_each(:words) j
			CROSS JOIN entity_words w ON w.word >= j.value AND w.word < j.value || :last
			WHERE NOT :exact AND length(j.value) >= 3 GROUP BY w.entity
	)
	SELECT ` + entityColumns + ` FROM (SELECT id, min(rank) rank, max(matched) matched FROM hit GROUP BY id) h
	JOIN entities e ON e.id = h.id
	WHERE (:type = '' OR e.type = :type) AND ` + visibleEntity + `
	ORDER BY h.rank, h.matched DESC, e.key, e.id LIMIT :limit + 0`

	// similarLength joins the words whose length allows for a likeness, equal
	// ones side by side: one row is read far quicker than thousands.
	similarLength = `SELECT coalesce(group_concat(word, ' '), '') FROM
	(SELECT word FROM entity_words WHERE runes BETWEEN ? AND ? ORDER BY runes, word)`

	withWord = `SELECT entity FROM entity_words WHERE word = ?`

	loadEntities = `SELECT ` + entityColumns + ` FROM json_each(:ids) j CROSS JOIN entities e ON e.id = j.value
	WHERE (:type = '' OR e.type = :type) AND ` + visibleEntity + ` ORDER BY j.key LIMIT :limit + 0`
)

// FindEntities returns matching entities, best first: the name itself, an
// alias, the beginning of either, words of either, beginnings of words. If
// there is nothing of all that, words that sound misheard match: one edit
// from four letters on, two from eight. Names compare without case, accents
// and punctuation, types without case. An empty Name lists all by name.
func (s *Graph) FindEntities(ctx context.Context, q memory.EntityQuery) (out []memory.Entity, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultEntities
	}
	scope := []any{
		sql.Named("type", q.Type),
		sql.Named("viewer", s.viewerKeys(q.Viewer)),
		sql.Named("limit", q.Limit),
	}
	err = s.readSnapshot(ctx, "finding entities", func(c *conn) error {
		if q.Name == "" {
			out, err = rows(ctx, c, listEntities, scope, entityRow)
			return err
		}
		asked := words.Telling(words.Split(q.Name), words.MaxNames)
		if len(asked) == 0 {
			return nil
		}
		if out, err = matchNames(ctx, c, q, asked, scope); err != nil || len(out) > 0 || q.Exact {
			return err
		}
		out, err = findMisheard(ctx, c, asked, scope)
		return err
	})
	return out, err
}

func matchNames(ctx context.Context, c *conn, q memory.EntityQuery, asked []string, scope []any) ([]memory.Entity, error) {
	list, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(scope),
		sql.Named("key", words.Key(q.Name)),
		sql.Named("exact", q.Exact),
		sql.Named("words", string(list)),
		sql.Named("last", lastRune),
	)
	return rows(ctx, c, matchEntities, args, entityRow)
}

// likeness is an entity with words near to those asked for.
type likeness struct {
	id             string
	matched, edits int
}

// findMisheard finds entities by words a few edits away: those with more of the
// words first, then those with fewer edits.
func findMisheard(ctx context.Context, c *conn, asked []string, scope []any) ([]memory.Entity, error) {
	byID := make(map[string]likeness)
	for _, a := range asked {
		closest, err := findSimilarWords(ctx, c, a)
		if err != nil {
			return nil, err
		}
		for id, d := range closest {
			l := byID[id]
			byID[id] = likeness{id, l.matched + 1, l.edits + d}
		}
	}
	if len(byID) == 0 {
		return nil, nil
	}
	found := slices.SortedFunc(maps.Values(byID), func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.matched, a.matched), cmp.Compare(a.edits, b.edits), cmp.Compare(a.id, b.id))
	})
	ids := make([]string, len(found))
	for i, l := range found {
		ids[i] = l.id
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return rows(ctx, c, loadEntities, append(slices.Clone(scope), sql.Named("ids", string(list))), entityRow)
}

// findSimilarWords returns the entities with a word like the given one, and how many
// edits away it is.
func findSimilarWords(ctx context.Context, c *conn, word string) (map[string]int, error) {
	n := utf8.RuneCountInString(word)
	allowed := allowedEdits(n)
	if allowed == 0 {
		return nil, nil
	}
	var list string
	if err := c.row(ctx, similarLength, []any{n - allowed, n + allowed}, &list); err != nil {
		return nil, err
	}
	closest := make(map[string]int)
	asked, candidate := []rune(word), []rune(nil)
	last := ""
	for w := range strings.FieldsSeq(list) {
		same := w == last
		last = w
		if same {
			continue
		}
		candidate = candidate[:0]
		for _, r := range w {
			candidate = append(candidate, r)
		}
		d := spelling.Distance(asked, candidate, allowed+1)
		if d > allowed {
			continue
		}
		ids, err := rows(ctx, c, withWord, []any{w}, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if old, seen := closest[id]; !seen || d < old {
				closest[id] = d
			}
		}
	}
	return closest, nil
}

// allowedEdits is how many edits a word of n runes may be away and still be meant.
func allowedEdits(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}
