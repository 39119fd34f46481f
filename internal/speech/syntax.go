package speech

import (
	"slices"
	"strings"
	"unicode"
)

// How far the scrubber looks ahead, in runes.
const (
	maxName      = 64  // a name, tag or key
	maxAttribute = 120 // the rest of a formatting tag after its name
	maxRun       = 80  // repetitions of one character
	maxGap       = 8   // insignificant white space
)

// bracketWords begin a call in brackets, as in "[TOOL: …]". Those with an underscore may be alone, as in
// "[TOOL_CALLS]".
var bracketWords = []string{
	"tool", "function", "call", "tool_call", "tool_calls", "tool_use", "tool_code", "tool_result", "tool_results",
	"tool_output", "tool_response", "function_call", "function_calls", "available_tools", "toolcall", "toolcalls",
}

// identifier returns the length of the name at the beginning of text, and whether it is complete. A length
// above maxName means that it is not a name.
func identifier(text []rune, extra string, final bool) (n int, ended bool) {
	for n < len(text) && n <= maxName && (isASCIIWord(text[n]) || strings.ContainsRune(extra, text[n])) {
		n++
	}
	return n, n < len(text) || n > maxName || final
}

func isASCIIWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}

// gapLength returns the length of the white space at the beginning of text, up to maxGap.
func gapLength(text []rune) int {
	n := 0
	for n < len(text) && n < maxGap && unicode.IsSpace(text[n]) {
		n++
	}
	return n
}

// removeObject removes a JSON object, but not text such as {sic}.
func (s *Scrubber) removeObject(rest []rune, final bool) (verdict, int) {
	v, quote := isObject(rest, final)
	if v != yes {
		return v, 0
	}
	s.beginWrapped(rest[:1])
	return s.beginRemoval(removal{kind: brackets, depth: 1, single: quote == '\''}, 1)
}

// isObject reports whether text begins with '{' and a quoted key. If the text ends within the key, it counts
// as an object.
func isObject(text []rune, final bool) (v verdict, quote rune) {
	i := 1 + gapLength(text[1:])
	if i == len(text) {
		return noIfFinal(final), 0
	}
	quote = text[i]
	if quote != '"' && quote != '\'' {
		return no, 0
	}
	end := i + 1
	for end < len(text) && text[end] != quote && text[end] != '\n' && end-i <= maxName {
		end++
	}
	switch {
	case end == len(text) && quote == '\'':
		return noIfFinal(final), 0 // {'tis is not an object
	case end == len(text):
		return yesIfFinal(final), quote
	case text[end] != quote:
		return no, 0
	}
	end++
	end += gapLength(text[end:])
	switch {
	case end == len(text):
		return yesIfFinal(final), quote
	case text[end] == ':':
		return yes, quote
	}
	return no, 0
}

// noIfFinal returns no if no text follows, otherwise wait.
func noIfFinal(final bool) verdict {
	if final {
		return no
	}
	return wait
}

// yesIfFinal returns yes if no text follows, otherwise wait.
func yesIfFinal(final bool) verdict {
	if final {
		return yes
	}
	return wait
}

// removeBracket removes lists of objects, and calls in brackets.
func (s *Scrubber) removeBracket(rest []rune, final bool) (verdict, int) {
	i := 1 + gapLength(rest[1:])
	if i == len(rest) {
		return noIfFinal(final), 0
	}
	if rest[i] == '{' {
		v, quote := isObject(rest[i:], final)
		if v != yes {
			return v, 0
		}
		s.beginWrapped(rest[:1])
		return s.beginRemoval(removal{kind: brackets, depth: 1, single: quote == '\''}, 1)
	}
	if rest[1] == '/' {
		i = 2
	}
	n, ended := identifier(rest[i:], "- ", final)
	if !ended {
		return wait, 0
	}
	word := strings.ToLower(string(rest[i : i+n]))
	name := strings.ReplaceAll(word, " ", "_")
	var next rune
	if i+n < len(rest) {
		next = rest[i+n]
	} else if n >= minCutOff && slices.ContainsFunc(bracketWords, func(w string) bool { return strings.HasPrefix(w, name) }) {
		return s.dropRunes(len(rest))
	}
	known := slices.Contains(bracketWords, name)
	switch {
	case known && (next == ':' || next == '='),
		known && next == ']' && strings.Contains(name, "_"),
		s.tools[word] && (next == ':' || next == '=' || next == '('):
		return s.beginRemoval(removal{kind: brackets, depth: 1}, 1)
	}
	return no, 0
}

// minCutOff is the minimum length of an incomplete word in brackets, at the end of the text, to recognise a
// call that broke off.
const minCutOff = 5

// removeCall removes calls of known tools such as roll("2d6"), and passes other words on as a whole.
func (s *Scrubber) removeCall(rest []rune, final bool) (verdict, int) {
	if len(s.tools) == 0 || !isASCIIWord(rest[0]) || isWord(s.state.prev) || s.state.prev == '_' {
		return no, 0
	}
	n, ended := pathLength(rest, final)
	if !ended {
		return wait, 0
	}
	if n <= maxName && n < len(rest) && rest[n] == '(' {
		v := s.isCall(rest, n, final)
		if v == wait {
			return wait, 0
		}
		if v == yes {
			return s.beginRemoval(removal{kind: brackets, depth: 1, single: true}, n+1)
		}
	}
	for n > 1 && !isWord(rest[n-1]) { // leave marks after the word to other rules
		n--
	}
	return s.emitRunes(rest, n)
}

// pathLength returns the length of the qualified name at the beginning of text.
func pathLength(text []rune, final bool) (n int, ended bool) { return identifier(text, ".-", final) }

// isCall reports whether the name of n runes and the parenthesis after it call a tool, directly or in
// print(…).
func (s *Scrubber) isCall(rest []rune, n int, final bool) verdict {
	args := rest[n+1:]
	if name := string(rest[:n]); !s.isTool(name) {
		if name != "print" {
			return no
		}
		inner, ended := pathLength(args, final)
		switch {
		case !ended, inner == len(args) && !final:
			return wait
		case inner < len(args) && args[inner] == '(' && s.isTool(string(args[:inner])):
			return yes
		}
		return no
	}
	return isArguments(args, final)
}

func (s *Scrubber) isTool(path string) bool {
	return s.tools[strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])]
}

// isArguments reports whether text after a parenthesis is a list of arguments rather than prose, as in "make
// your roll(s)".
func isArguments(text []rune, final bool) verdict {
	i := gapLength(text)
	if i == len(text) {
		return yesIfFinal(final)
	}
	if first := text[i]; isQuote(first) || unicode.IsDigit(first) || strings.ContainsRune("{[)-", first) {
		return yes
	}
	n, ended := identifier(text[i:], "", final)
	if !ended {
		return wait
	}
	i += n
	i += gapLength(text[i:])
	switch {
	case i == len(text):
		return noIfFinal(final)
	case n > 0 && (text[i] == '=' || text[i] == ':'):
		return yes
	}
	return no
}
