package problem

import "unicode"

// longestName bounds the names [Nearest] compares, in runes: a longer one is no
// typing error of anything.
const longestName = 64

// Nearest returns the candidate that name is most likely a misspelling of, or
// "" if none is near: at most a third of its letters may differ, but always
// one. Swapped neighbours count as one difference, case as none. Of equally
// near candidates the first wins.
func Nearest(name string, candidates []string) string {
	from := fold(name)
	if len(from) == 0 || len(from) > longestName {
		return ""
	}
	best, bestDistance := "", max(1, len(from)/3)+1
	for _, c := range candidates {
		to := fold(c)
		if len(to) == 0 || len(to) > longestName {
			continue
		}
		if d := distance(from, to, bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// fold makes names comparable: case and the choice of separator do not count.
func fold(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if len(out) > longestName {
			break
		}
		if r == '-' || r == ' ' {
			r = '_'
		}
		out = append(out, unicode.ToLower(r))
	}
	return out
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b. It gives up and returns limit once the count
// must reach it.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
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
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
