package ruleslookup

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// The walk over a sorted list finds the same words as a comparison with every word.
func TestNearWordsAreThoseWithinSoManyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{1,9}`)
		list := rapid.SliceOfDistinct(word, rapid.ID).Draw(t, "list")
		slices.Sort(list)
		w, edits := word.Draw(t, "word"), rapid.IntRange(0, 2).Draw(t, "edits")
		var want []nearWord
		for i, other := range list {
			if d := words.Distance([]byte(w), []byte(other), edits+1); d <= edits {
				want = append(want, nearWord{int32(i), uint8(d)})
			}
		}
		if got := newNearWords(list).find(nil, w, edits, 0, len(list)); !slices.Equal(got, want) {
			t.Errorf("near %q within %d of %q: %v, want %v", w, edits, list, got, want)
		}
	})
}

func TestWordsThatBeginAlike(t *testing.T) {
	n := newNearWords([]string{"ab", "abc", "abd", "b", "ba"})
	for prefix, want := range map[string][2]int{"ab": {0, 3}, "b": {3, 5}, "c": {5, 5}, "": {0, 5}} {
		if from, to := n.between(prefix); from != want[0] || to != want[1] {
			t.Errorf("between(%q) = %d, %d, want %v", prefix, from, to, want)
		}
	}
}
