package ruleslookup

import "sort"

// nearWords finds words in a sorted list that are similar to a misspelt word. A prefix shared by consecutive
// words is compared only once, and skipped as a whole as soon as it differs too much.
type nearWords struct {
	words  []string
	shared []uint8 // length of the prefix shared with the previous word, in bytes
}

// longestNear is the maximum length of the words that are compared, in bytes.
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

// nearWord is a word of the list and its edit distance.
type nearWord struct {
	at    int32
	edits uint8
}

// between returns the range of the list whose words begin with prefix.
func (n nearWords) between(prefix string) (from, to int) {
	from = sort.SearchStrings(n.words, prefix)
	return from, from + sort.Search(len(n.words)-from, func(i int) bool {
		w := n.words[from+i]
		return len(w) < len(prefix) || w[:len(prefix)] != prefix
	})
}

// maxEdits is the maximum edit distance.
const maxEdits = 2

// reach is the state after reading some bytes of one word: for no edit, one edit and two edits, a bit set of
// how many bytes of the other word can have been read.
type reach [maxEdits + 1]uint64

// find adds the words in the given range of the list that are at most edits away from w. An edit is an
// insertion, a deletion, a replacement, or a swap of two neighbouring bytes.
func (n nearWords) find(out []nearWord, w string, edits, from, to int) []nearWord {
	if len(w) > longestNear {
		return out
	}
	var has [256]uint64 // positions of each byte in w
	for i := range len(w) {
		has[w[i]] |= 1 << i
	}
	whole := uint64(1) << len(w)
	var at [longestNear + maxEdits + 2]reach // by the number of bytes of the word read
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

// next reads one more byte. has holds its positions in the other word.
func (r *reach) next(has uint64, edits int) (out reach) {
	out[0] = r[0] & has << 1
	for d := 1; d <= edits; d++ {
		out[d] = r[d]&has<<1 | r[d-1] | r[d-1]<<1 | out[d-1]<<1
	}
	return out
}

// swap adds the states reached by swapping two adjacent bytes. both holds the positions where they occur in
// swapped order.
func (r *reach) swap(before *reach, both uint64, edits int) {
	for d := 1; d <= edits; d++ {
		r[d] |= before[d-1] & both << 2
		if d < edits {
			r[d+1] |= r[d] << 1
		}
	}
}
