package speech

import (
	"slices"
	"strings"
	"unicode"
)

// reasoningTags contain the model's reasoning. They have no attributes.
var reasoningTags = []string{
	"think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis", "inner_monologue",
	"denken", "gedanke", "gedanken", "nachdenken", "analyse",
}

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

// removeTag removes tags: reasoning and calls with their content, formatting without it.
func (s *Scrubber) removeTag(rest []rune, final bool) (verdict, int) {
	if len(rest) == 1 {
		if final {
			return no, 0
		}
		return wait, 0
	}
	if rest[1] == '|' || rest[1] == '｜' {
		return s.removeSpecialToken(rest, final)
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
	reasoning, tool := slices.Contains(reasoningTags, name), slices.Contains(toolTags, name)
	switch next := rest[end]; {
	case n == 0:
		return no, 0
	case closing && (reasoning || tool):
		return s.removeTagEnd(rest, end, final)
	case reasoning && next == '>', tool && (next == '>' || next == '=' || next == '/' || unicode.IsSpace(next)):
		return s.beginRemoval(swallow{kind: tagHead, name: full}, end)
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

// removeSpecialToken removes a model's control token such as "<|im_end|>", with the role or channel it
// announces. Text on a channel other than the final one is removed as well.
func (s *Scrubber) removeSpecialToken(rest []rune, final bool) (verdict, int) {
	end, v := tokenEnd(rest)
	switch {
	case v == no, v == wait && final && len(rest) == 2:
		return no, 0
	case v == wait && final:
		return s.dropRunes(len(rest))
	case v == wait:
		return wait, 0
	}
	name := string(rest[2 : end-2])
	announces := name == "channel" || name == "start" || name == "im_start" || name == "start_header_id"
	if !announces {
		return s.dropRunes(end)
	}
	n, ended := identifier(rest[end:], "", final)
	if !ended {
		return wait, 0
	}
	word := string(rest[end : end+n])
	switch {
	case name == "channel" && (word == "analysis" || word == "commentary"):
		return s.beginRemoval(swallow{kind: channel}, end)
	case name == "channel" && word == "final", slices.Contains(roles, word):
		return s.dropRunes(end + n)
	}
	return s.dropRunes(end)
}

// roles are the roles that a control token may announce.
var roles = []string{"assistant", "system", "user", "tool", "developer"}

// tokenEnd returns the length of the control token at the beginning of text.
func tokenEnd(text []rune) (int, verdict) {
	for i := 2; i < len(text); i++ {
		switch r := text[i]; {
		case i > maxName, r == '<', unicode.IsSpace(r), r == '>' && i < 4:
			return 0, no
		case r == '>' && text[i-1] == text[1]:
			return i + 1, yes
		}
	}
	return 0, wait
}

func isTagPrefix(s string) bool {
	begins := func(tag string) bool { return strings.HasPrefix(tag, s) }
	return slices.ContainsFunc(reasoningTags, begins) || slices.ContainsFunc(toolTags, begins)
}
