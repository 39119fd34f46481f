package userfile

import (
	"fmt"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// longestName is the maximum length of the names that [Nearest] compares, in runes. A longer name is not a
// misspelling of anything.
const longestName = 64

// Nearest returns the candidate that name is most likely a misspelling of, or "" if none is similar enough.
// Up to a third of the letters may differ, and always at least one. Two swapped neighbours count as one
// difference; case does not count. Among equally similar candidates the first wins.
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
		if d := words.Distance(from, to, bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Suggest returns a suggestion of the candidate that name is most likely a misspelling of, or otherwise if
// none is similar enough.
func Suggest(name string, candidates []string, otherwise string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// fold prepares names for comparison. Case and the choice of separator do not count.
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
