package dialect

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// deepest is how deep literals may nest.
const deepest = 64

// literal reads values as models write them: JSON, Python literals, and mixtures of both.
type literal struct {
	text    string
	at      int
	depth   int
	lenient bool // brackets may be missing at the end
}

// readLiteral reads the value at the beginning of text and returns its length. Numbers are [json.Number]. If
// lenient, brackets may be missing at the end.
func readLiteral(text string, lenient bool) (value any, n int, ok bool) {
	l := literal{text: text, lenient: lenient}
	value, ok = l.value()
	return value, l.at, ok
}

// skip skips white space and returns the next byte, or 0 at the end.
func (l *literal) skip() byte {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
	if l.at == len(l.text) {
		return 0
	}
	return l.text[l.at]
}

func (l *literal) value() (any, bool) {
	if l.depth++; l.depth > deepest {
		return nil, false
	}
	defer func() { l.depth-- }()
	switch c := l.skip(); {
	case c == '{':
		return l.object()
	case c == '[':
		return l.list(']')
	case c == '(':
		return l.list(')')
	case c == '"' || c == '\'':
		return l.quoted()
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return l.number()
	case c == '<': // Gemma
		return l.escaped()
	}
	return l.word()
}

// object reads {"key": value}. Keys need no quotes.
func (l *literal) object() (any, bool) {
	out := map[string]any{}
	l.at++
	for {
		switch l.skip() {
		case '}':
			l.at++
			return out, true
		case ',':
			l.at++
			continue
		case 0:
			return out, l.lenient
		}
		quoted := strings.IndexByte(`"'<`, l.text[l.at]) >= 0
		key, ok := l.key()
		if !ok || l.skip() != ':' {
			return nil, false
		}
		l.at++
		read := l.value
		if !quoted {
			read = l.unquoted
		}
		value, ok := read()
		if !ok {
			return nil, false
		}
		out[key] = value
		if c := l.skip(); c != ',' && c != '}' && c != 0 {
			return nil, false
		}
	}
}

// unquoted reads a value that needs no quotes if it is a text, as in {town:Oakham}.
func (l *literal) unquoted() (any, bool) {
	c := l.skip()
	if c == 0 || strings.IndexByte("{[(\"'<", c) >= 0 {
		return l.value()
	}
	rest := l.text[l.at:]
	n := strings.IndexAny(rest, ",}\n")
	if n < 0 {
		return nil, false
	}
	l.at += n
	text := strings.TrimSpace(rest[:n])
	if value, size, ok := readLiteral(text, false); ok && size == len(text) {
		return value, true
	}
	return text, true
}

func (l *literal) key() (string, bool) {
	if c := l.text[l.at]; c == '"' || c == '\'' || c == '<' {
		value, ok := l.value()
		s, isText := value.(string)
		return s, ok && isText
	}
	n := identifier(l.text[l.at:])
	key := l.text[l.at : l.at+n]
	l.at += n
	return key, n > 0
}

func (l *literal) list(end byte) (any, bool) {
	out := []any{}
	l.at++
	for {
		switch c := l.skip(); c {
		case end:
			l.at++
			return out, true
		case ',':
			l.at++
			continue
		case 0:
			return out, l.lenient
		}
		value, ok := l.value()
		if !ok {
			return nil, false
		}
		out = append(out, value)
		if c := l.skip(); c != ',' && c != end && c != 0 {
			return nil, false
		}
	}
}

// escaped reads a text between Gemma's quotes.
func (l *literal) escaped() (any, bool) {
	for _, quote := range []string{"<escape>", `<|"|>`} {
		if body, ok := strings.CutPrefix(l.text[l.at:], quote); ok {
			text, _, closed := strings.Cut(body, quote)
			if !closed {
				return nil, false
			}
			l.at += len(text) + 2*len(quote)
			return text, true
		}
	}
	return nil, false
}

// quoted reads a string in single, double or triple quotes. It may contain line breaks.
func (l *literal) quoted() (any, bool) {
	quote := l.text[l.at : l.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.text[l.at:], triple) {
		quote = triple
	}
	l.at += len(quote)
	var b strings.Builder
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		if strings.HasPrefix(rest, quote) {
			l.at += len(quote)
			return strings.ToValidUTF8(b.String(), "\uFFFD"), true
		}
		if rest[0] != '\\' || len(rest) == 1 {
			b.WriteByte(rest[0])
			l.at++
			continue
		}
		l.escape(&b, rest)
	}
	return nil, false
}

// escape reads an escape sequence.
func (l *literal) escape(b *strings.Builder, rest string) {
	if rest[1] == '/' {
		b.WriteByte('/')
		l.at += 2
		return
	}
	if rest[1] == 'u' && len(rest) >= 12 && rest[6:8] == `\u` {
		var pair string // JSON writes some runes as two escapes
		if json.Unmarshal([]byte(`"`+rest[:12]+`"`), &pair) == nil && utf8.RuneCountInString(pair) == 1 {
			b.WriteString(pair)
			l.at += 12
			return
		}
	}
	quote := byte(0)
	if rest[1] == '\'' || rest[1] == '"' {
		quote = rest[1]
	}
	r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
	switch {
	case err != nil: // no sequence of JSON or Python
		b.WriteByte('\\')
		l.at++
	case multibyte || r < utf8.RuneSelf:
		b.WriteRune(r)
		l.at += len(rest) - len(tail)
	default:
		b.WriteByte(byte(r))
		l.at += len(rest) - len(tail)
	}
}

func (l *literal) number() (any, bool) {
	end := l.at
	for end < len(l.text) && strings.IndexByte("+-.0123456789eE_", l.text[end]) >= 0 {
		end++
	}
	text := strings.TrimPrefix(strings.ReplaceAll(l.text[l.at:end], "_", ""), "+")
	l.at = end
	if json.Valid([]byte(text)) {
		return json.Number(text), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), true
}

// word reads true, None and the like, or a string with a prefix, as in f"…".
func (l *literal) word() (any, bool) {
	rest := l.text[l.at:]
	if n := strings.IndexAny(rest, `"'`); n > 0 && n <= 2 && strings.Trim(strings.ToLower(rest[:n]), "rfbu") == "" {
		l.at += n
		return l.quoted()
	}
	n := strings.IndexFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) })
	if n < 0 {
		n = len(rest)
	}
	l.at += n
	switch rest[:n] {
	case "true", "True":
		return true, true
	case "false", "False":
		return false, true
	case "null", "None":
		return nil, true
	}
	return nil, false
}

// callArguments reads the arguments of a call as code, which begin with a parenthesis.
func (l *literal) callArguments() (positional []any, named map[string]any, ok bool) {
	named = map[string]any{}
	l.at++
	for {
		switch l.skip() {
		case ')':
			l.at++
			return positional, named, true
		case ',', '*': // **{"key": value}
			l.at++
			continue
		case 0:
			return positional, named, l.lenient
		}
		rest := l.text[l.at:]
		size := strings.IndexFunc(rest, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		key := ""
		if size > 0 {
			after := strings.TrimLeft(rest[size:], " \t\r\n")
			if strings.HasPrefix(after, "=") || strings.HasPrefix(after, ":") {
				key = rest[:size]
				l.at += len(rest) - len(after) + 1
			}
		}
		value, ok := l.value()
		if !ok {
			return nil, nil, false
		}
		if key == "" {
			positional = append(positional, value)
		} else {
			named[key] = value
		}
		if c := l.skip(); c != ',' && c != ')' && c != 0 {
			return nil, nil, false
		}
	}
}
