package userfile

import (
	"fmt"
	"strings"
)

// expansion is the result of expanding the variables in a text.
type expansion struct {
	text string
	// changed reports whether the text contained variables or escapes.
	changed bool
}

// expandVariables replaces ${NAME} and ${NAME:-default} in s; $${ stands for a literal ${. As in a shell, the
// default applies if the variable is unset or empty. The value of a variable is not expanded again. If lookup
// is nil, no variable is allowed. The error describes the problem without revealing any value, and fix says
// how to fix it.
func expandVariables(s string, lookup func(string) (string, bool)) (x expansion, what, fix string) {
	if !strings.Contains(s, "${") {
		return expansion{text: s}, "", ""
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return expansion{text: b.String(), changed: true}, "", ""
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1])
			b.WriteString("${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		inside, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			return x, `a "${" without its "}"`, `close it, or write "$${" for the characters themselves`
		}
		value, what, fix := resolveVariable(inside, lookup)
		if what != "" {
			return x, what, fix
		}
		b.WriteString(value)
		s = rest
	}
}

// resolveVariable resolves the text between "${" and "}".
func resolveVariable(inside string, lookup func(string) (string, bool)) (value, what, fix string) {
	if lookup == nil {
		return "", "this file takes no environment variables", `write the value itself, or "$${" for the characters`
	}
	name, fallback, hasFallback := strings.Cut(inside, ":-")
	if !isVariableName(name) {
		return "", `what stands in "${}" is no name of an environment variable`,
			`use letters, digits and _, or write "$${" for the characters themselves`
	}
	if strings.Contains(fallback, "${") {
		return "", fmt.Sprintf("the default of ${%s} holds another variable", name), "write the default out"
	}
	value, set := lookup(name)
	switch {
	case hasFallback && value == "":
		return fallback, "", ""
	case !set:
		return "", fmt.Sprintf("the environment variable %s is not set", name),
			fmt.Sprintf("set it, or write ${%s:-} if it may be missing", name)
	}
	return value, "", ""
}

func isVariableName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 200
}
