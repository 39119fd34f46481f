package words

// This file compares words that may be misspelt or misheard. It does no I/O and imports nothing.

// short is the length up to which Distance does not allocate.
const short = 64

// Distance returns the number of insertions, deletions, substitutions and transpositions of adjacent elements
// that turn a into b (optimal string alignment), but at most limit, at which it stops early. Use runes to
// compare letters; bytes suffice if both words are ASCII.
func Distance[T byte | rune](a, b []T, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var fixed [3][short + 1]int
	before, last, row := fixed[0][:], fixed[1][:], fixed[2][:]
	if len(b) > short {
		n := len(b) + 1
		all := make([]int, 3*n)
		before, last, row = all[:n], all[n:2*n], all[2*n:]
	}
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
