package ruleslookup

import "sort"

// nearWords finds the words of a sorted list that another may be a misspelling of. What
// wordsIn begin with alike is compared once, and left as soon as it is too far off.
type nearWords struct {
	words  []string
	shared []uint8 // how many bytes a word begins with as the one before it
}

// longestNear bounds the words that are compared, in bytes.
const longestNear = maxWord

func newNearWords(sorted []string) nearWords {
	n := nearWords{words: sorted, shared: make([]uint8, len(sorted))}
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		same := 0
		for same < min(len(a), len(b), longestNear) && a[same] == b[same] {
			same++
		}
		n.shared[i] = uint8(same)
	}
	return n
}

// nearWord is a word of the list and how many edits away it is.
type nearWord struct {
	at    int32
	edits uint8
}

// between is the part of the list whose words begin with prefix.
func (n nearWords) between(prefix string) (from, to int) {
	from = sort.SearchStrings(n.words, prefix)
	return from, from + sort.Search(len(n.words)-from, func(i int) bool {
		w := n.words[from+i]
		return len(w) < len(prefix) || w[:len(prefix)] != prefix
	})
}

// maxEdits bounds how far off a word may be.
const maxEdits = 2

// reach tells after some bytes of a word how many of the other's can have been read, a bit
// for each number, with no edit, one and two.
type reach [maxEdits + 1]uint64

// find adds the words from one place to another that are at most edits insertions,
// deletions, replacements and swaps of neighbours away from w.
func (n nearWords) find(out []nearWord, w string, edits, from, to int) []nearWord {
	if len(w) > longestNear {
		return out
	}
	var has [256]uint64 // where w has a byte
	for i := range len(w) {
		has[w[i]] |= 1 << i
	}
	whole := uint64(1) << len(w)
	var at [longestNear + maxEdits + 2]reach // by how much of the word is read
	at[0][0] = 1
	for d := 1; d <= edits; d++ {
		at[0][d] = at[0][d-1] | at[0][d-1]<<1
	}
	depth := 0
	for i := from; i < to; {
		word := n.words[i]
		if i > from {
			depth = min(depth, int(n.shared[i]))
		}
		for near := true; near && depth < len(word); near = at[depth][edits]&(whole<<1-1) != 0 {
			depth++
			at[depth] = at[depth-1].next(has[word[depth-1]], edits)
			if depth > 1 {
				at[depth].swap(&at[depth-2], has[word[depth-1]]&(has[word[depth-2]]>>1), edits)
			}
		}
		if now := &at[depth]; depth == len(word) {
			for d := range edits + 1 {
				if now[d]&whole != 0 {
					out = append(out, nearWord{int32(i), uint8(d)})
					break
				}
			}
		}
		far := depth
		i++
		if at[depth][edits]&(whole<<1-1) == 0 {
			for i < to && int(n.shared[i]) >= far {
				i++
			}
		}
	}
	return out
}

// next reads a byte more, that stands where has says.
func (r *reach) next(has uint64, edits int) (out reach) {
	out[0] = r[0] & has << 1
	for d := 1; d <= edits; d++ {
		out[d] = r[d]&has<<1 | r[d-1] | r[d-1]<<1 | out[d-1]<<1
	}
	return out
}

// swap adds what is reached by two bytes the other way round, which stand where both says.
func (r *reach) swap(before *reach, both uint64, edits int) {
	for d := 1; d <= edits; d++ {
		r[d] |= before[d-1] & both << 2
		if d < edits {
			r[d+1] |= r[d] << 1
		}
	}
}
