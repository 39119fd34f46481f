package speech

import (
	"slices"
	"strings"
	"unicode"
)

// toolTags contain calls and their results.
var toolTags = []string{
	"tool_call", "tool_calls", "toolcall", "tool_code", "tool_use", "tool_request", "tool_response", "tool_result",
	"tool_results", "tool_output", "tool_outputs", "use_tool", "execute_tool", "function", "functions", "function_call",
	"function_calls", "functioncall", "function_result", "function_results", "function_response", "invoke", "parameter",
	"parameters",
}

// formatTags mark up text that is kept. lineTags also break the line.
var (
	formatTags = []string{
		"b", "i", "u", "s", "em", "strong", "del", "mark", "small", "sub", "sup", "span", "font", "code", "pre", "speak",
		"voice", "prosody", "emphasis", "break", "blockquote", "ul", "ol",
	}
	lineTags = []string{"br", "p", "hr", "li", "div", "h1", "h2", "h3", "h4", "h5", "h6"}
)

// removeTag removes tags: calls with their content, formatting without it.
func (s *Scrubber) removeTag(rest []rune, final bool) (verdict, int) {
	if len(rest) == 1 {
		if final {
			return no, 0
		}
		return wait, 0
	}
	start := 1
	closing := rest[1] == '/'
	if closing {
		start = 2
	}
	n, ended := identifier(rest[start:], "-:", final)
	if !ended {
		return wait, 0
	}
	full := strings.ToLower(string(rest[start : start+n]))
	name := full[strings.LastIndexByte(full, ':')+1:]
	end := start + n
	if end == len(rest) { // the text ends within the name
		if n >= 2 && isTagPrefix(name) {
			return s.dropRunes(end)
		}
		return no, 0
	}
	tool := slices.Contains(toolTags, name)
	switch next := rest[end]; {
	case n == 0:
		return no, 0
	case closing && tool:
		return s.removeTagEnd(rest, end, final)
	case tool && (next == '>' || next == '=' || next == '/' || unicode.IsSpace(next)):
		return s.beginRemoval(removal{kind: tagHead, name: full}, end)
	}
	return s.removeFormatTag(rest, end, name, final)
}

// removeTagEnd removes a closing tag whose name ends at end.
func (s *Scrubber) removeTagEnd(rest []rune, end int, final bool) (verdict, int) {
	space := gapLength(rest[end:])
	end += space
	switch {
	case space == maxGap:
		return no, 0
	case end < len(rest) && rest[end] == '>', end == len(rest) && final:
		return s.dropRunes(min(end+1, len(rest)))
	case end == len(rest):
		return wait, 0
	}
	return no, 0
}

// removeFormatTag removes a formatting tag whose name ends at end. Without a '=', nothing may follow the
// name: "a <b and c> d" is kept.
func (s *Scrubber) removeFormatTag(rest []rune, end int, name string, final bool) (verdict, int) {
	line := slices.Contains(lineTags, name)
	if !line && !slices.Contains(formatTags, name) {
		return no, 0
	}
	attributes, words := false, false
	for i, r := range rest[end:] {
		switch {
		case r == '>' && (attributes || !words):
			if line && s.state.last != 0 && s.state.last != '\n' {
				s.emitRune('\n')
			}
			return s.dropRunes(end + i + 1)
		case r == '>', r == '<', r == '\n', i == 0 && r != '/' && !unicode.IsSpace(r), i == maxAttribute:
			return no, 0
		case r == '=':
			attributes = true
		case r != '/' && !unicode.IsSpace(r):
			words = true
		}
	}
	if final {
		return no, 0
	}
	return wait, 0
}

func isTagPrefix(s string) bool {
	begins := func(tag string) bool { return strings.HasPrefix(tag, s) }
	return slices.ContainsFunc(toolTags, begins)
}
