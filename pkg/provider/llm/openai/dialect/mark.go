package dialect

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// verdict tells whether a text begins with something.
type verdict int

const (
	no   verdict = iota
	wait         // more text is needed
	yes
)

// waitUnless returns wait as long as more text may come.
func waitUnless(final bool) verdict {
	if final {
		return no
	}
	return wait
}

const (
	// longestName is the maximum length of a mark's name in bytes.
	longestName = 64
	// longestTag is the maximum length of a tag's name in bytes, with its namespace, as in <seed:think>.
	longestTag = 32
	// longestAttributes is the maximum length of a tag's attributes in bytes.
	longestAttributes = 300
)

// flower is the first byte of "◁" and "✿".
const flower = 0xE2

// mark is markup with a meaning: a tag such as <think>, or a control token such as <|im_end|>, [TOOL_CALLS]
// and ◁think▷.
type mark struct {
	kind kind
	name string // as in the table
	ends bool   // it closes what a mark of the same name opened
	attr string // what follows the name, such as "=roll"
	size int    // in bytes
}

// flowers are the brackets of Kimi and of Qwen-Agent. Both begin with the byte [flower].
var flowers = [][2]string{{"◁", "▷"}, {"✿", "✿"}}

// readMark reads the mark at the beginning of text, which begins with '<', '[' or [flower].
func readMark(text string, final bool) (mark, verdict) {
	switch text[0] {
	case '<':
		return readAngle(text, final)
	case '[':
		return readSquare(text, final)
	}
	for _, f := range flowers {
		if len(text) < len(f[0]) && strings.HasPrefix(f[0], text) {
			return mark{}, waitUnless(final)
		}
		body, ok := strings.CutPrefix(text, f[0])
		if !ok {
			continue
		}
		name, rest, closed := strings.Cut(body, f[1])
		switch {
		case len(name) > longestName || strings.IndexFunc(name, unicode.IsSpace) >= 0:
			return mark{}, no
		case !closed || rest == "" && !final: // a colon belongs to the mark
			return mark{}, waitUnless(final)
		}
		m := mark{size: len(text) - len(strings.TrimPrefix(rest, ":"))}
		name, m.ends = strings.CutPrefix(name, "/")
		m.name, m.ends = bareName(name, m.ends)
		if m.kind = names[m.name]; m.name == "return" {
			m.kind = ignored // Qwen-Agent's answer follows
		}
		if m.kind == unknown {
			return mark{}, no
		}
		return m, yes
	}
	return mark{}, no
}

// readSquare reads a mark such as [TOOL_CALLS] or [/THINK].
func readSquare(text string, final bool) (mark, verdict) {
	body, ends := strings.CutPrefix(text[1:], "/")
	end := strings.IndexFunc(body, func(r rune) bool { return (r < 'A' || r > 'Z') && r != '_' && r != ' ' })
	if end < 0 {
		if slices.ContainsFunc(squareNames, func(n string) bool { return strings.HasPrefix(n, body) || strings.HasPrefix("END_"+n, body) }) {
			return mark{}, waitUnless(final)
		}
		return mark{}, no
	}
	name, closes := strings.CutPrefix(body[:end], "END_")
	if body[end] != ']' || !slices.Contains(squareNames, name) {
		return mark{}, no
	}
	m := mark{name: strings.ToLower(name), ends: ends || closes, size: len(text) - len(body) + end + 1}
	m.kind = names[m.name]
	if strings.HasSuffix(name, "FINAL RESPONSE") {
		m.kind = ignored
		if strings.HasPrefix(name, "BEGIN") { // Apriel: the thought is over
			m.kind, m.ends = thought, true
		}
	}
	if m.kind == turnEnd && m.ends {
		m.kind = ignored // [/INST] precedes the answer
	}
	return m, yes
}

// isBar reports whether r is the bar of a control token.
func isBar(r rune) bool { return r == '|' || r == '｜' }

// readAngle reads a tag or a control token. In a control token, bars stand inside the brackets, or at least on
// one side, as in <|channel>.
func readAngle(text string, final bool) (mark, verdict) {
	var m mark
	i, token := 1, false
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(text[i:]) {
			return m, waitUnless(final)
		}
		if r != '/' && !isBar(r) || i > 8 {
			break
		}
		m.ends, token = m.ends || r == '/', token || isBar(r)
		i += n
	}
	start, segment := i, i // a segment begins after a bar, as in <｜DSML｜invoke
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(text[i:]) {
			return m, waitUnless(final)
		}
		if !token && (i-start > longestTag || i == start && !unicode.IsLetter(r)) {
			return m, no
		}
		if isBar(r) && (token || i > start) {
			token = true
			if rest := text[i+n:]; rest != "" && rest[0] == '>' {
				if segment == start && !strings.ContainsRune(text[:start], '|') && !strings.ContainsRune(text[:start], '｜') {
					m.ends = true // <channel|>
				}
				return finishToken(m, text[segment:i], i+n+1)
			} else if rest == "" {
				return m, waitUnless(final)
			}
			i, segment = i+n, i+n
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-:.▁", r) || i-start > longestName {
			break
		}
		i += n
	}
	name := text[segment:i]
	switch length := i - start; {
	case length > longestName, !token && length > longestTag:
		return m, no
	case i == len(text):
		return m, waitUnless(final)
	case length == 0:
		return m, no
	}
	if token && segment == start && text[i] == '>' { // <|channel>
		return finishToken(m, name, i+1)
	}
	m.name, m.ends = bareName(name, m.ends)
	m.kind = names[m.name]
	return readAttributes(m, text, i, final)
}

// readAttributes reads a tag from the end of its name.
func readAttributes(m mark, text string, i int, final bool) (mark, verdict) {
	end := strings.IndexAny(text[i:], "><{")
	switch next := text[i]; {
	case m.kind == unknown, next != '>' && next != '=' && next != '/' && next != ' ' && next != '\n':
		return m, no
	case end < 0 && len(text)-i <= longestAttributes:
		return m, waitUnless(final)
	case text[i] == '=' && m.name == "function" && end > 0 && text[i+end] == '{': // <function=roll{"expression": "d20"}
		m.attr, m.size = text[i:i+end], i+end
		return m, yes
	}
	if end >= 0 && text[i+end] == '{' { // a brace in an attribute
		after := strings.IndexAny(text[i+end:], "><")
		if after < 0 && len(text)-i <= longestAttributes {
			return m, waitUnless(final)
		}
		end += after
		if after < 0 {
			end = -1
		}
	}
	if end < 0 || text[i+end] == '<' || end > longestAttributes {
		return m, no
	}
	m.attr = text[i : i+end]
	m.size = i + end + 1
	attr := strings.TrimSpace(m.attr)
	switch {
	case m.name == "details" && !m.ends && !strings.Contains(attr, "reasoning") && !strings.Contains(attr, "tool_calls"):
		return m, no // HTML
	case m.name == "details" && m.ends, attr == "/" && m.kind != call:
		m.kind = ignored
	case attr != "" && attr != "/" && !strings.Contains(attr, "="):
		return m, no // "<answer me>" is no markup
	}
	return m, yes
}

// finishToken returns a control token. Its kind is never unknown, because text in these brackets is never
// speech.
func finishToken(m mark, name string, size int) (mark, verdict) {
	m.size = size
	opens := strings.ToLower(name)
	m.name, m.ends = bareName(name, m.ends)
	k, ok := tokens[m.name]
	if !ok {
		k = names[m.name]
	}
	switch {
	case k == turnHead && m.ends && !strings.HasPrefix(m.name, "head") && m.name != "role":
		k = turnEnd // <|im_end|>
	case k == turnHead && m.ends:
		k = ignored // <|end_header_id|>
	case k == turnEnd && !m.ends && (strings.HasPrefix(opens, "begin") || strings.HasPrefix(opens, "start_")):
		k = ignored // <|begin_of_text|>
	case k == unknown && m.ends:
		k = turnEnd
	case k == unknown:
		k = ignored
	}
	m.kind = k
	return m, yes
}

// Words that say in a name that something begins or ends.
var (
	openingWords = []string{"start_of_", "begin_of_", "start_", "begin_"}
	closingWords = []string{"end_of_", "end_"}
	openingTails = []string{"_start", "_begin", "_prefix"}
	closingTails = []string{"_end", "_suffix", "_stop"}
)

// bareName returns the name as in the table, and whether the mark closes.
func bareName(name string, ends bool) (string, bool) {
	name = strings.NewReplacer("▁", "_", "-", "_", " ", "_").Replace(strings.ToLower(name))
	name = name[strings.LastIndexAny(name, ":.")+1:]
	if known, ok := spellings[strings.ReplaceAll(name, "_", "")]; ok {
		return known, ends
	}
	for _, w := range openingWords {
		if rest, ok := strings.CutPrefix(name, w); ok {
			return spelled(rest), ends
		}
	}
	for _, w := range closingWords {
		if rest, ok := strings.CutPrefix(name, w); ok {
			return spelled(rest), true
		}
	}
	for _, w := range openingTails {
		if rest, ok := strings.CutSuffix(name, w); ok {
			return spelled(rest), ends
		}
	}
	for _, w := range closingTails {
		if rest, ok := strings.CutSuffix(name, w); ok {
			return spelled(rest), true
		}
	}
	return name, ends
}

// spelled returns the table's spelling of a name, in which underscores may be missing or added.
func spelled(name string) string {
	if known, ok := spellings[strings.ReplaceAll(name, "_", "")]; ok {
		return known
	}
	return name
}

// spellings are the names of the table by their letters.
var spellings = func() map[string]string {
	out := make(map[string]string, len(names))
	for name := range names {
		out[strings.ReplaceAll(name, "_", "")] = name
	}
	return out
}()
