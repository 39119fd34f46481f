package mcp

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxServerName bounds the name of an external server, in characters.
const maxServerName = 500

// CheckServerName returns the problem with the name of an external server, or "" if it is valid. Names must
// be distinctive, because they prefix the names of the server's tools and appear as the source of tools.
func CheckServerName(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is blank"
	case name == SourceBuiltin || name == SourceWorkflow:
		return "means Glyphoxa's own tools"
	case untrusted.Line(name, maxServerName) != name:
		return fmt.Sprintf("is not one line without spaces around it, of at most %d characters", maxServerName)
	case !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return "has no letter and no digit"
	}
	return ""
}
