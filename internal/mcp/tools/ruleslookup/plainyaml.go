package ruleslookup

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxDepth bounds how deep lists and mappings of the plain form may nest.
const maxDepth = 32

// plainReader reads the plain form of YAML that the data files are written in,
// about ten times as fast as the general reader: lists and mappings by
// indentation, lists and mappings in brackets on one line, plain and quoted
// scalars on one line, and folded or literal texts without their last line end.
//
// Whatever else it meets, such as an anchor, a tag, a tab or a scalar over
// several lines, makes it give up, and the general reader decides: it never
// reports an error, and what it reads is what the general reader would.
type plainReader struct {
	lines  []string
	at     int // the current line, from 0
	spare  []yaml.Node
	gaveUp bool
}

// readPlain returns the document as nodes, or nil if data is not in the plain form.
func readPlain(data []byte) *yaml.Node {
	text := string(data)
	if !utf8.ValidString(text) || holdsUnusual(text) {
		return nil
	}
	if strings.HasPrefix(text, "---") || strings.Contains(text, "\n---") || strings.Contains(text, "\n...") {
		return nil
	}
	r := &plainReader{lines: strings.Split(text, "\n")}
	indent, ok := r.next()
	if !ok || indent != 0 {
		return nil
	}
	top := r.block(0, 0)
	if _, more := r.next(); more || r.gaveUp {
		return nil
	}
	doc := r.node(yaml.DocumentNode, "")
	doc.Line = 1
	doc.Content = []*yaml.Node{top}
	return doc
}

// holdsUnusual reports whether s holds a control character but for the line end,
// or one that YAML takes for a line end or a mark.
func holdsUnusual(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ' && c != '\n', c == 0x7f:
			return true
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r <= 0x9f || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xfffe && r <= 0xffff {
				return true
			}
			i += size - 1
		}
	}
	return false
}

func (r *plainReader) giveUp() *yaml.Node {
	r.gaveUp = true
	return r.node(yaml.ScalarNode, "")
}

// node returns a new node at the current line.
func (r *plainReader) node(kind yaml.Kind, value string) *yaml.Node {
	if len(r.spare) == 0 {
		r.spare = make([]yaml.Node, 256)
	}
	n := &r.spare[0]
	r.spare = r.spare[1:]
	n.Kind, n.Value, n.Line = kind, value, r.at+1
	return n
}

// next goes to the next line that says something and returns its indentation.
func (r *plainReader) next() (indent int, ok bool) {
	for ; r.at < len(r.lines); r.at++ {
		line := strings.TrimLeft(r.lines[r.at], " ")
		if line != "" && line[0] != '#' {
			return len(r.lines[r.at]) - len(line), true
		}
	}
	return 0, false
}

// block reads the list or mapping whose lines are indented by indent.
func (r *plainReader) block(indent, depth int) *yaml.Node {
	if depth > maxDepth {
		return r.giveUp()
	}
	if isItem(r.lines[r.at][indent:]) {
		return r.list(indent, depth)
	}
	return r.mapping(indent, depth)
}

func isItem(s string) bool { return s == "-" || strings.HasPrefix(s, "- ") }

func (r *plainReader) list(indent, depth int) *yaml.Node {
	n := r.node(yaml.SequenceNode, "")
	for !r.gaveUp {
		got, ok := r.next()
		if !ok || got < indent {
			return n
		}
		line := r.lines[r.at]
		if got != indent || !isItem(line[indent:]) || len(line) < indent+3 || line[indent+2] == ' ' {
			return r.giveUp()
		}
		inner := line[indent+2:]
		if isItem(inner) {
			return r.giveUp()
		}
		if _, _, isKey := splitKey(inner); isKey {
			// The item's first key stands where the others are indented to.
			r.lines[r.at] = strings.Repeat(" ", indent+2) + inner
			n.Content = append(n.Content, r.mapping(indent+2, depth+1))
			continue
		}
		n.Content = append(n.Content, r.value(inner, indent, depth+1))
	}
	return n
}

func (r *plainReader) mapping(indent, depth int) *yaml.Node {
	n := r.node(yaml.MappingNode, "")
	for !r.gaveUp {
		got, ok := r.next()
		if !ok || got < indent {
			return n
		}
		line := r.lines[r.at]
		key, rest, isKey := splitKey(line[got:])
		if got != indent || !isKey {
			return r.giveUp()
		}
		n.Content = append(n.Content, r.scalar(key), r.value(rest, indent, depth+1))
	}
	return n
}

// splitKey splits "key: value"; only keys of letters, digits, blanks, slashes, hyphens and
// underscores are plain.
func splitKey(s string) (key, rest string, ok bool) {
	at := strings.IndexByte(s, ':')
	if at <= 0 || at+1 < len(s) && s[at+1] != ' ' || s[0] == '-' || s[at-1] == ' ' {
		return "", "", false
	}
	for i := range at {
		c := s[i]
		if c != '_' && c != '-' && c != ' ' && c != '/' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return "", "", false
		}
	}
	return s[:at], strings.TrimLeft(s[at+1:], " "), true
}

// value reads what follows a key or hyphen that is indented by indent, and goes
// to the line after it.
func (r *plainReader) value(s string, indent, depth int) *yaml.Node {
	switch {
	case s == "":
		r.at++
		inner, ok := r.next()
		if !ok || inner <= indent {
			return r.giveUp()
		}
		return r.block(inner, depth)
	case s == ">-" || s == "|-":
		return r.text(indent, s == ">-")
	}
	var n *yaml.Node
	if s[0] == '[' || s[0] == '{' {
		var rest string
		if n, rest = r.flow(s, depth); strings.TrimLeft(rest, " ") != "" {
			return r.giveUp()
		}
	} else {
		n = r.scalar(s)
	}
	r.at++
	if inner, ok := r.next(); ok && inner > indent {
		return r.giveUp() // it goes on in the next line
	}
	return n
}

// text reads a folded or literal text below a key indented by indent.
func (r *plainReader) text(indent int, folded bool) *yaml.Node {
	n := r.node(yaml.ScalarNode, "")
	n.Tag = "!!str"
	var b strings.Builder
	inner, blank := 0, 0
	for r.at++; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		trimmed := strings.TrimLeft(line, " ")
		own := len(line) - len(trimmed)
		if trimmed == "" {
			if inner == 0 || own > inner {
				return r.giveUp()
			}
			blank++
			continue
		}
		if own <= indent {
			break
		}
		if inner == 0 {
			inner = own
		}
		if own != inner {
			return r.giveUp() // deeper lines fold otherwise
		}
		if b.Len() > 0 {
			if !folded {
				blank++
			} else if blank == 0 {
				b.WriteByte(' ')
			}
			for range blank {
				b.WriteByte('\n')
			}
		}
		blank = 0
		b.WriteString(trimmed)
	}
	if b.Len() == 0 {
		return r.giveUp()
	}
	n.Value = b.String()
	return n
}

// flow reads a value inside brackets, or brackets themselves, and returns what
// follows it.
func (r *plainReader) flow(s string, depth int) (n *yaml.Node, rest string) {
	if depth > maxDepth || s == "" {
		return r.giveUp(), ""
	}
	switch s[0] {
	case '[':
		return r.flowItems(yaml.SequenceNode, s[1:], ']', depth)
	case '{':
		return r.flowItems(yaml.MappingNode, s[1:], '}', depth)
	case '"', '\'':
		end := strings.IndexByte(s[1:], s[0]) + 2
		if end < 2 {
			return r.giveUp(), ""
		}
		return r.scalar(s[:end]), s[end:]
	}
	end := strings.IndexAny(s, ",]}[{")
	if end <= 0 {
		return r.giveUp(), ""
	}
	return r.scalar(strings.TrimRight(s[:end], " ")), s[end:]
}

func (r *plainReader) flowItems(kind yaml.Kind, s string, closing byte, depth int) (n *yaml.Node, rest string) {
	n = r.node(kind, "")
	s = strings.TrimLeft(s, " ")
	if s != "" && s[0] == closing {
		return n, s[1:]
	}
	for !r.gaveUp {
		if kind == yaml.MappingNode {
			key, value, ok := splitKey(s)
			if strings.HasPrefix(s, `"`) {
				key, value, ok = quotedKey(s)
			}
			if !ok {
				break
			}
			n.Content = append(n.Content, r.scalar(key))
			s = value
		}
		var item *yaml.Node
		item, s = r.flow(s, depth+1)
		n.Content = append(n.Content, item)
		s = strings.TrimLeft(s, " ")
		if s == "" {
			break
		}
		if s[0] == closing {
			return n, s[1:]
		}
		if s[0] != ',' {
			break
		}
		s = strings.TrimLeft(s[1:], " ")
	}
	return r.giveUp(), ""
}

// quotedKey is [splitKey] for a key in double quotes, which it keeps.
func quotedKey(s string) (key, rest string, ok bool) {
	end := strings.IndexByte(s[1:], '"') + 2
	if end < 2 || !strings.HasPrefix(s[end:], ": ") {
		return "", "", false
	}
	return s[:end], strings.TrimLeft(s[end+1:], " "), true
}

// scalar reads a plain or quoted scalar that ends with s.
func (r *plainReader) scalar(s string) *yaml.Node {
	n := r.node(yaml.ScalarNode, s)
	if s == "" {
		return r.giveUp()
	}
	switch s[0] {
	case '"':
		v, err := strconv.Unquote(s)
		if err != nil || strings.ContainsRune(s, '\\') {
			return r.giveUp()
		}
		n.Value, n.Tag = v, "!!str"
		return n
	case '\'':
		if len(s) < 2 || strings.IndexByte(s[1:], '\'') != len(s)-2 {
			return r.giveUp()
		}
		n.Value, n.Tag = s[1:len(s)-1], "!!str"
		return n
	}
	if strings.IndexByte("-?:,[]{}#&*!|>%@`=<", s[0]) >= 0 && !isWhole(s) || s[len(s)-1] == ' ' || s[len(s)-1] == ':' ||
		strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return r.giveUp()
	}
	n.Tag = plainTag(s)
	return n
}

func isWhole(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// plainTag tells texts from truth values and nothing; a number passes for text,
// since the reader of a number looks at its digits.
func plainTag(s string) string {
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return "!!bool"
	case "null", "Null", "NULL", "~":
		return "!!null"
	}
	return "!!str"
}
