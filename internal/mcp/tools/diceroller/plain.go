package diceroller

// plainArgument reads an object whose one field is called name and holds a
// string of printable ASCII without escapes. It reports false for everything
// else, right or wrong, which is then for encoding/json to judge.
func plainArgument(args, name string) (string, bool) {
	s, ok := after(args, '{')
	if !ok {
		return "", false
	}
	key, s, ok := plainString(s)
	if !ok || key != name {
		return "", false
	}
	if s, ok = after(s, ':'); !ok {
		return "", false
	}
	value, s, ok := plainString(s)
	if !ok {
		return "", false
	}
	if s, ok = after(s, '}'); !ok || skipSpace(s) != "" {
		return "", false
	}
	return value, true
}

func plainString(s string) (value, rest string, ok bool) {
	if s, ok = after(s, '"'); !ok {
		return "", "", false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			return s[:i], s[i+1:], true
		case c < ' ' || c > '~' || c == '\\':
			return "", "", false
		}
	}
	return "", "", false
}

// after returns what follows c, which may have white space before it.
func after(s string, c byte) (string, bool) {
	s = skipSpace(s)
	if s == "" || s[0] != c {
		return "", false
	}
	return s[1:], true
}

func skipSpace(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t' || s[0] == '\n' || s[0] == '\r') {
		s = s[1:]
	}
	return s
}
