package postgres

import (
	"cmp"
	"context"
	"github.com/jackc/pgx/v5"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/spelling"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const defaultEntities = 20

// ofScope restricts entities to a type, which compares without case, and to what a viewer
// may see.
var ofScope = `(@type = '' OR lower(e.type) = lower(@type)) AND ` + visibleTo("e", "@viewer")

var (
	listEntities = `SELECT ` + entityColumns + ` FROM entities e
	WHERE ` + ofScope + `
	ORDER BY e.key, e.id LIMIT @limit`

	// matchEntities ranks: 0 name, 1 alias, 2 beginning of either, 3 words of
	// either, 4 beginnings of words. Within a rank, more matching words win.
	matchEntities = `WITH hit (id, rank, matched) AS (
		SELECT entity, least(alias, 1), 0::bigint FROM entity_names WHERE key = @key
		UNION ALL
		SELECT entity, 2, 0 FROM entity_names WHERE NOT @exact AND key >= @key AND key < @key || @last
		UNION ALL
		SELECT w.entity, 3, count(*) FROM entity_words w WHERE w.word = ANY(@words::text[]) GROUP BY w.entity
		UNION ALL
		SELECT w.entity, 4, count(DISTINCT j.word) FROM unnest(@words::text[]) j (word)
			JOIN entity_words w ON w.word >= j.word AND w.word < j.word || @last
			WHERE NOT @exact AND length(j.word) >= 3 GROUP BY w.entity
	)
	SELECT ` + entityColumns + ` FROM (SELECT id, min(rank) AS rank, max(matched) AS matched FROM hit GROUP BY id) h
	JOIN entities e ON e.id = h.id
	WHERE ` + ofScope + `
	ORDER BY h.rank, h.matched DESC, e.key, e.id LIMIT @limit`

	// similarLength selects the words whose length allows for a likeness.
	similarLength = `SELECT DISTINCT word FROM entity_words WHERE runes BETWEEN $1 AND $2`

	withWord = `SELECT entity FROM entity_words WHERE word = $1`

	loadEntities = `SELECT ` + entityColumns + ` FROM unnest(@ids::text[]) WITH ORDINALITY j (id, place) JOIN entities e ON e.id = j.id
	WHERE ` + ofScope + ` ORDER BY j.place LIMIT @limit`
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
	scope := pgx.NamedArgs{"type": keepable(q.Type), "viewer": s.viewerKeys(q.Viewer), "limit": q.Limit}
	err = s.read(ctx, "finding entities", func(c conn) error {
		if q.Name == "" {
			out, err = rows(ctx, c, listEntities, []any{scope}, entityRow)
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

func matchNames(ctx context.Context, c conn, q memory.EntityQuery, asked []string, scope pgx.NamedArgs) ([]memory.Entity, error) {
	args := maps.Clone(scope)
	args["key"], args["exact"], args["words"], args["last"] = clip(words.Key(q.Name)), q.Exact, clipped(asked), lastRune
	return rows(ctx, c, matchEntities, []any{args}, entityRow)
}

func clipped(all []string) []string {
	out := make([]string, len(all))
	for i, w := range all {
		out[i] = clip(w)
	}
	return out
}

// likeness is an entity with words near to those asked for.
type likeness struct {
	id             string
	matched, edits int
}

// findMisheard finds entities by words a few edits away: those with more of the
// words first, then those with fewer edits.
func findMisheard(ctx context.Context, c conn, asked []string, scope pgx.NamedArgs) ([]memory.Entity, error) {
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
	args := maps.Clone(scope)
	args["ids"] = ids
	return rows(ctx, c, loadEntities, []any{args}, entityRow)
}

// findSimilarWords returns the entities with a word like the given one, and how many
// edits away it is.
func findSimilarWords(ctx context.Context, c conn, word string) (map[string]int, error) {
	n := utf8.RuneCountInString(word)
	allowed := allowedEdits(n)
	if allowed == 0 {
		return nil, nil
	}
	similar, err := rows(ctx, c, similarLength, []any{n - allowed, n + allowed}, scanText)
	if err != nil {
		return nil, err
	}
	closest := make(map[string]int)
	asked, candidate := []rune(word), []rune(nil)
	for _, w := range similar {
		candidate = candidate[:0]
		for _, r := range w {
			candidate = append(candidate, r)
		}
		d := spelling.Distance(asked, candidate, allowed+1)
		if d > allowed {
			continue
		}
		ids, err := rows(ctx, c, withWord, []any{w}, func(r pgx.Rows) (id string, err error) { return id, r.Scan(&id) })
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
