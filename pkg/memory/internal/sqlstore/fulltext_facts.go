package sqlstore

import (
	"cmp"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// RankFacts scores facts from 0 to 1 by how much of the question they cover, and returns the k best. It
// modifies hits.
func (q FullTextQuery) RankFacts(hits []memory.FactHit, k int) []memory.FactHit {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	most := q.MaxScore()
	for i, score := range q.Score(texts) {
		if most > 0 {
			hits[i].Score = min(1, score/most)
		}
	}
	slices.SortFunc(hits, func(a, b memory.FactHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
	})
	return hits[:min(len(hits), k)]
}

// appendWorded appends facts found by words to those found by meaning, and limits their scores so that the
// order holds.
func appendWorded(near, worded []memory.FactHit) []memory.FactHit {
	for _, w := range worded {
		if n := len(near); n > 0 {
			w.Score = min(w.Score, near[n-1].Score)
		}
		near = append(near, w)
	}
	return near
}
