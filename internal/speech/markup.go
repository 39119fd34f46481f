package speech

import (
	"slices"
	"strings"
	"unicode"
)

// maxAside is the maximum length of an aside between a name and its colon, as in "Bartok (whispering):".
const maxAside = 40

// maxDecoration is the maximum number of markup characters around a name.
const maxDecoration = 8

// removeLineStart removes what marks up a whole line: the NPC's own name, headings, bullets, quotes and
// rules.
func (s *Scrubber) removeLineStart(rest []rune, final bool) (verdict, int) {
	for _, name := range s.names {
		v, n := speakerPrefix(rest, name, final)
		if v == yes {
			return s.dropRunes(n)
		}
		if v == wait {
			return wait, 0
		}
	}
	switch rest[0] {
	case '#', '>':
		n := runLength(rest, rest[0])
		switch {
		case n == len(rest) && n < maxRun && !final:
			return wait, 0
		case n == len(rest), rest[n] == ' ', rest[n] == '\n':
			return s.dropRunes(n)
		}
	case '-', '+', '•', '‣', '*', '=':
		n := runLength(rest, rest[0])
		switch {
		case n == len(rest) && n < maxRun && !final:
			return wait, 0
		case n == 2, n < len(rest) && n < maxRun && !unicode.IsSpace(rest[n]):
			return no, 0
		case n == 1 && (n == len(rest) || rest[n] == '\n' || rest[0] == '='):
			return no, 0
		}
		return s.dropRunes(n)
	}
	return no, 0
}

// runLength returns how many times r is repeated at the beginning of text, up to maxRun.
func runLength(text []rune, r rune) int {
	n := 0
	for n < len(text) && n < maxRun && text[n] == r {
		n++
	}
	return n
}

// speakerPrefix reports whether text begins with name as a speaker's name: followed by a colon, possibly
// after an aside, and possibly surrounded by markup. name is in lower case.
func speakerPrefix(text, name []rune, final bool) (verdict, int) {
	i := decoration(text, 0, "*_#>[~ \t")
	for _, want := range name {
		if i == len(text) {
			return noIfFinal(final), 0
		}
		if unicode.ToLower(text[i]) != want {
			return no, 0
		}
		i++
	}
	i = decoration(text, i, "*_]~ \t")
	if i < len(text) && text[i] == '(' {
		end := i + 1
		for end < len(text) && text[end] != ')' && text[end] != '\n' && end-i <= maxAside {
			end++
		}
		if end < len(text) && text[end] != ')' {
			return no, 0
		}
		i = decoration(text, min(end+1, len(text)), "*_]~ \t")
	}
	switch {
	case i == len(text):
		return noIfFinal(final), 0
	case text[i] == '\n' && unicode.ToLower(text[0]) != name[0]: // "**Bartok**" on a line of its own
		return yes, i
	case text[i] != ':' && text[i] != '：':
		return no, 0
	}
	i++
	end := i
	for end < len(text) && end-i < maxDecoration && (text[end] == '*' || text[end] == '_') {
		end++
	}
	switch {
	case end == len(text) && !final && end-i < maxDecoration:
		return wait, 0
	case end == i || end == len(text) || unicode.IsSpace(text[end]):
		return yes, end
	}
	return yes, i // the markup belongs to the text after it: "Bartok:*grins*"
}

// decoration returns the first index from i on whose rune is not in signs, at most maxDecoration further.
func decoration(text []rune, i int, signs string) int {
	for n := 0; n < maxDecoration && i < len(text) && strings.ContainsRune(signs, text[i]); n++ {
		i++
	}
	return i
}

// codeLanguages are the info strings of fences whose content is never speech.
var codeLanguages = []string{
	"tool_code", "tool_call", "tool_calls", "tool_use", "tool_output", "tool_outputs", "tool_result", "tool", "tools",
	"function", "function_call", "json", "jsonc", "json5", "jsonl", "xml", "html", "python", "py", "javascript", "js",
	"typescript", "ts", "yaml", "yml", "toml", "bash", "sh", "shell", "console", "sql", "go", "lua", "ruby", "c", "cpp",
}

// removeTicks removes fenced code, or only the backticks if they surround speech.
func (s *Scrubber) removeTicks(rest []rune, final bool) (verdict, int) {
	n := runLength(rest, '`')
	if n == len(rest) && n < maxRun && !final {
		return wait, 0
	}
	if n < 3 {
		if n == 1 && isWord(s.state.prev) && n < len(rest) && isWord(rest[n]) {
			return s.emitRunes(rest, n) // an apostrophe
		}
		return s.dropRunes(n)
	}
	size, ended := identifier(rest[n:], "+-", final)
	if !ended {
		return wait, 0
	}
	end := n + size
	switch {
	case slices.Contains(codeLanguages, strings.ToLower(string(rest[n:end]))):
		return s.beginRemoval(removal{kind: fence}, end)
	case final && end == len(rest), end < len(rest) && rest[end] == '\n':
		return s.dropRunes(end)
	}
	return s.dropRunes(n)
}

// removeStars removes emphasis marks, and stage directions with their content.
func (s *Scrubber) removeStars(rest []rune, final bool) (verdict, int) {
	n := runLength(rest, '*')
	if n == len(rest) && n < maxRun && !final {
		return wait, 0
	}
	if s.isLiteral(rest, n) {
		return s.emitRunes(rest, n)
	}
	if v, size := s.removeStage(rest, n, final); v != no {
		return v, size
	}
	if s.isUnpaired(rest, n) {
		return s.emitRunes(rest, n)
	}
	return s.removeMark(n)
}

// isUnpaired reports whether a single asterisk begins or ends a stage direction whose other asterisk is
// missing. It is kept for a later stage that sees the whole sentence.
func (s *Scrubber) isUnpaired(rest []rune, n int) bool {
	if n != 1 || s.keepStage {
		return false
	}
	opens := n < len(rest) && isWord(rest[n]) && !isWord(s.state.prev)
	if !opens {
		unpaired := !s.state.starred && s.state.prev != 0 && !unicode.IsSpace(s.state.prev)
		s.state.starred = false
		return unpaired
	}
	end := 1
	for end < len(rest) && end <= maxStage && !strings.ContainsRune("*\n<{`", rest[end]) {
		end++
	}
	if end < len(rest) && rest[end] == '*' {
		s.state.starred = true
		return false
	}
	words := strings.Fields(string(rest[1:end]))
	return len(words) > 1 && gestures[plainWord(words[0])]
}

// removeStage removes a stage direction between runs of n marks.
func (s *Scrubber) removeStage(rest []rune, n int, final bool) (verdict, int) {
	if n > 3 || s.keepStage {
		return no, 0
	}
	v, size := s.stageDirection(rest, n, final)
	if v == yes {
		return s.dropRunes(size)
	}
	return v, 0
}

// isLiteral reports whether the n marks stand for themselves: between spaces, as in 3 * 4, or between digits.
func (s *Scrubber) isLiteral(rest []rune, n int) bool {
	prev := s.state.prev
	if n == len(rest) {
		return prev == 0 || unicode.IsSpace(prev)
	}
	next := rest[n]
	return (prev == 0 || unicode.IsSpace(prev)) && unicode.IsSpace(next) || unicode.IsDigit(prev) && unicode.IsDigit(next)
}

// emitRunes lets n runes through.
func (s *Scrubber) emitRunes(rest []rune, n int) (verdict, int) {
	for _, r := range rest[:n] {
		s.emitRune(r)
	}
	return yes, n
}

// removeMark removes n marks without collapsing the white space around them.
func (s *Scrubber) removeMark(n int) (verdict, int) { return yes, n }

// removeUnderline removes _ and ~~ at word boundaries.
func (s *Scrubber) removeUnderline(rest []rune, final bool) (verdict, int) {
	n := runLength(rest, rest[0])
	if n == len(rest) && n < maxRun && !final {
		return wait, 0
	}
	switch {
	case rest[0] == '~' && n < 2, s.isLiteral(rest, n),
		rest[0] == '_' && isWord(s.state.prev) && n < len(rest) && isWord(rest[n]):
		return s.emitRunes(rest, n)
	}
	if rest[0] == '_' {
		if v, size := s.removeStage(rest, n, final); v != no {
			return v, size
		}
	}
	return s.removeMark(n)
}
