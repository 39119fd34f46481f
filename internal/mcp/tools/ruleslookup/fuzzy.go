package ruleslookup

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// expansion is a stem of the vocabulary that a word of the query may mean.
type expansion struct {
	stem int32
	// weight is the share of the stem's score that counts; 1 for a certain match.
	weight float32
}

const (
	// maxExpansions limits the number of stems that one word can expand to.
	maxExpansions = 16

	oneTypo      = 0.75
	twoTypos     = 0.5
	joined       = 0.67
	unknownBegin = 0.85 // the word is unknown and begins a longer word
	knownBegin   = 0.25 // same, for a last word that is itself a known word
)

// expand lists the stems that w may mean, best first. Only an unknown word, or the last word, which may be
// incomplete, expands to stems other than its own.
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

// best sorts the list by weight, removes duplicate stems, and truncates it.
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

// beginnings adds the stems that begin with prefix. The more letters are missing, the lower the weight.
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

// typos adds the stems that w or its stem may be a misspelling of. It allows one edit from four letters on,
// and two from eight on.
func (ix *index) typos(out []expansion, w word) []expansion {
	out = ix.misspelt(out, w.raw, w.raw, 0, ix.germanFrom)
	if w.raw != w.stem {
		out = ix.misspelt(out, w.raw, w.stem, 0, ix.germanFrom)
	}
	return out
}

// misspelt adds the stems in one part of the vocabulary that stem, the stem of raw, may be a misspelling of.
func (ix *index) misspelt(out []expansion, raw, stem string, from, to int) []expansion {
	edits := 0
	switch {
	case len(raw) >= 8:
		edits = 2
	case len(raw) >= 4:
		edits = 1
	}
	if edits == 0 {
		return out
	}
	for _, near := range ix.near.find(nil, stem, edits, from, to) {
		s := ix.stems[near.at]
		if len(s) < 3 || near.edits == 0 && stem != raw {
			continue
		}
		weight := float32(oneTypo)
		if near.edits == 2 {
			weight = twoTypos
		}
		if s[0] != stem[0] {
			weight *= 0.8 // people rarely get the first letter wrong
		}
		out = append(out, expansion{near.at, weight})
	}
	return out
}

// split finds the two known words that make up w if the space between them is missing. If there are several
// ways, it returns the one whose more common word is rarest.
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
