package ruleslookup

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/spelling"
)

// expansion is a stem of the vocabulary that a query's word may mean.
type expansion struct {
	stem int32
	// weight is how much of the stem's score counts, 1 for a certain match.
	weight float32
}

const (
	// maxExpansions bounds how many stems one word may stand for.
	maxExpansions = 16

	oneTypo      = 0.75
	twoTypos     = 0.5
	joined       = 0.9
	unknownBegin = 0.85 // beginning of a longer word, if it is no word itself
	knownBegin   = 0.25 // the same for a last word that is a word, too
)

// expand lists the stems that w may mean, best first. Only an unknown word or
// the last one, which may be unfinished, stands for more than itself.
func (ix *index) expand(w word, last bool) []expansion {
	var out []expansion
	at, known := ix.position[w.stem]
	if known {
		out = append(out, expansion{at, 1})
		if last {
			out = ix.beginnings(out, w.raw, knownBegin)
		}
		return best(out)
	}
	out = ix.beginnings(out, w.raw, unknownBegin)
	if w.stem != w.raw {
		out = ix.beginnings(out, w.stem, unknownBegin)
	}
	out = ix.typos(out, w)
	return best(out)
}

// best sorts by weight, drops repeated stems and cuts the rest off.
func best(list []expansion) []expansion {
	slices.SortFunc(list, func(a, b expansion) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
	})
	kept := list[:0]
	for _, e := range list {
		again := slices.ContainsFunc(kept, func(k expansion) bool { return k.stem == e.stem })
		if !again && len(kept) < maxExpansions {
			kept = append(kept, e)
		}
	}
	return kept
}

// beginnings adds the stems that begin with prefix; the more is missing, the
// less they weigh.
func (ix *index) beginnings(out []expansion, prefix string, weight float32) []expansion {
	if len(prefix) < 3 {
		return out
	}
	for i := sort.SearchStrings(ix.stems, prefix); i < len(ix.stems) && strings.HasPrefix(ix.stems[i], prefix); i++ {
		share := float32(len(prefix)) / float32(len(ix.stems[i]))
		if share < 1 {
			out = append(out, expansion{int32(i), weight * (0.5 + 0.5*share)})
		}
	}
	return out
}

// typos adds the stems that w, or its stem, may be a misspelling of: one edit
// from four letters on, two from eight on.
func (ix *index) typos(out []expansion, w word) []expansion {
	edits := 0
	switch {
	case len(w.raw) >= 8:
		edits = 2
	case len(w.raw) >= 4:
		edits = 1
	}
	if edits == 0 {
		return out
	}
	rawSet, stemSet := letterSet(w.raw), letterSet(w.stem)
	raw, stem := []byte(w.raw), []byte(w.stem)
	var candidate []byte
	for i, s := range ix.stems {
		if len(s) < 3 || s[0] == germanMark[0] {
			continue
		}
		d := edits + 1
		candidate = append(candidate[:0], s...)
		if bits.OnesCount32(ix.letters[i]^stemSet) <= 2*edits {
			d = spelling.Distance(stem, candidate, d)
		}
		if w.raw != w.stem && bits.OnesCount32(ix.letters[i]^rawSet) <= 2*edits {
			d = min(d, spelling.Distance(raw, candidate, d))
		}
		if d > edits {
			continue
		}
		weight := float32(oneTypo)
		if d == 2 {
			weight = twoTypos
		}
		if s[0] != w.raw[0] {
			weight *= 0.8 // people rarely miss the first letter
		}
		out = append(out, expansion{int32(i), weight})
	}
	return out
}

// split finds the two known words that w is made of when the space was
// forgotten; of several ways the one whose commoner word is rarest.
func (ix *index) split(w string) (a, b int32, ok bool) {
	const shortest = 3
	best := float32(0)
	for i := shortest; i <= len(w)-shortest; i++ {
		left, known := ix.position[stem(w[:i])]
		if !known {
			continue
		}
		right, known := ix.position[stem(w[i:])]
		if !known {
			continue
		}
		if rarity := min(ix.idf[left], ix.idf[right]); rarity > best {
			best, a, b, ok = rarity, left, right, true
		}
	}
	return a, b, ok
}

// letterSet is a bit per letter; the bits two words differ in bound their edit
// distance from below.
func letterSet(s string) uint32 {
	var set uint32
	for i := range len(s) {
		if c := s[i]; c >= 'a' && c <= 'z' {
			set |= 1 << (c - 'a')
		} else {
			set |= 1 << (26 + c%6)
		}
	}
	return set
}
