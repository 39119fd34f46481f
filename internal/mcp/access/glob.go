package access

import "unicode/utf8"

// matchAny reports whether one of globs matches name. An empty list matches every name.
func matchAny(globs []string, name string) bool {
	if len(globs) == 0 {
		return true
	}
	for _, g := range globs {
		if match(g, name) {
			return true
		}
	}
	return false
}

// match reports whether glob matches the whole name. "*" stands for any characters, including none and
// including slashes, because names from other systems may contain them; "?" stands for exactly one character.
// At worst, the time is proportional to the product of the lengths.
func match(glob, name string) bool {
	g, n := 0, 0
	star, from := -1, 0 // where to continue if the part after the last * does not fit
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, from = g, n
			g++
		case g < len(glob) && glob[g] == '?':
			_, size := utf8.DecodeRuneInString(name[n:])
			g, n = g+1, n+size
		case g < len(glob) && glob[g] == name[n]:
			g, n = g+1, n+1
		case star >= 0:
			_, size := utf8.DecodeRuneInString(name[from:])
			from += size
			g, n = star+1, from
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}
