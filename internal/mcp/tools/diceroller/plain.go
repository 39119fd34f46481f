package diceroller

// plainArgument reads an object whose only field is called name and holds a string of printable ASCII without
// escapes. It returns false for any other input, valid or not, which the caller then leaves to encoding/json.
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

// after returns the text after c in s. White space may precede c.
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
