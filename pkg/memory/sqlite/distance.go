package sqlite

import "github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"

// distance counts the edits between two words: insertions, deletions,
// substitutions and swaps of neighbours. Beyond limit it returns limit+1.
// Runes past [words.MaxLen] do not count.
func distance(a, b string, limit int) int {
	var bufA, bufB [words.MaxLen]rune
	ra, rb := runes(&bufA, a), runes(&bufB, b)
	if len(ra)-len(rb) > limit || len(rb)-len(ra) > limit {
		return limit + 1
	}
	var table [3][words.MaxLen + 1]int
	before, prev, row := &table[0], &table[1], &table[2]
	for j := range len(rb) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(rb); j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return min(prev[len(rb)], limit+1)
}

func runes(buf *[words.MaxLen]rune, s string) []rune {
	n := 0
	for _, r := range s {
		if n == len(buf) {
			break
		}
		buf[n] = r
		n++
	}
	return buf[:n]
}
