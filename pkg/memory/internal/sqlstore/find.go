package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	defaultEntities = 20
	// lastRune ends the range of all words with a given prefix.
	lastRune = "\U0010FFFF"

	// similarLength joins all words of similar length in one row, equal ones next to each other, because
	// reading one row is much faster than reading thousands.
	similarLength = `SELECT coalesce(string_agg(word, ' '), '') FROM
		(SELECT word FROM entity_words WHERE runes BETWEEN $1 AND $2 ORDER BY runes, word) AS similar_words`

	withWord = `SELECT entity FROM entity_words WHERE word = $1`
)

// FindEntities returns matching entities, best first: by full name, by alias, by a prefix of either, by words
// of either, by prefixes of words. If nothing matches, it looks for misheard words: one edit is allowed from
// four letters on, two from eight. Names are compared without case, accents and punctuation, types without
// case. An empty Name lists all entities by name.
func (s *Store) FindEntities(ctx context.Context, q memory.EntityQuery) (out []memory.Entity, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultEntities
	}
	scope := []any{q.Type, s.viewerKeys(q.Viewer), q.Limit}
	err = s.d.ReadSnapshot(ctx, "finding entities", func(c Conn) (err error) {
		if q.Name == "" {
			out, err = Rows(ctx, c, s.sql.listEntities, scope, entityRow)
			return err
		}
		asked := words.ContentWords(words.Split(q.Name), words.MaxNames)
		if len(asked) == 0 {
			return nil
		}
		if out, err = s.matchNames(ctx, c, q, asked, scope); err != nil || len(out) > 0 || q.Exact {
			return err
		}
		out, err = s.findMisheard(ctx, c, asked, scope)
		return err
	})
	return out, err
}

func (s *Store) matchNames(ctx context.Context, c Conn, q memory.EntityQuery, asked []string, scope []any) ([]memory.Entity, error) {
	clipped := make([]string, len(asked))
	for i, w := range asked {
		clipped[i] = s.syntax.Clip(w)
	}
	args := append(slices.Clone(scope), s.syntax.Clip(words.Key(q.Name)), q.Exact, clipped, lastRune)
	return Rows(ctx, c, s.sql.matchEntities, args, entityRow)
}

// likeness is an entity with words similar to those asked for.
type likeness struct {
	id             string
	matched, edits int
}

// findMisheard finds entities whose words are a few edits away. Entities that match more of the words come
// first, then those with fewer edits.
func (s *Store) findMisheard(ctx context.Context, c Conn, asked []string, scope []any) ([]memory.Entity, error) {
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
	return Rows(ctx, c, s.sql.loadEntities, append(slices.Clone(scope), ids), entityRow)
}

// findSimilarWords returns the entities with a word similar to the given one, and its edit distance.
func findSimilarWords(ctx context.Context, c Conn, word string) (map[string]int, error) {
	n := utf8.RuneCountInString(word)
	allowed := allowedEdits(n)
	if allowed == 0 {
		return nil, nil
	}
	var list string
	if err := c.Row(ctx, similarLength, []any{n - allowed, n + allowed}, &list); err != nil {
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
		d := words.Distance(asked, candidate, allowed+1)
		if d > allowed {
			continue
		}
		ids, err := Rows(ctx, c, withWord, []any{w}, ScanText)
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

// allowedEdits returns the number of edits by which a word of n runes may differ and still match.
func allowedEdits(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}
