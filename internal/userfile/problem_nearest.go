package userfile

import (
	"fmt"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

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
		if d := words.Distance(from, to, bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Suggest says which of the candidates was likely meant by name, or otherwise if
// none is near.
func Suggest(name string, candidates []string, otherwise string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
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
