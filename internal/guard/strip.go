package guard

import (
	"strings"
	"unicode/utf8"
)

// maxOpen is the maximum number of sentences that an unclosed stage direction may span.
const maxOpen = 3

// stripper removes everything but speech from a sentence, from left to right.
type stripper struct {
	turn   *Turn
	raw    string
	at     int
	from   int // start of the text that is not decided yet
	output []byte
	cut    bool
	v      *Verdict
}

// strip returns the part of a sentence that is speech, without marks, links, code and stage directions. If
// nothing is removed, it returns the sentence unchanged.
func (t *Turn) strip(raw string, v *Verdict) string {
	if t.open == 0 && isPlain(raw) {
		return raw
	}
	p := stripper{turn: t, raw: raw, v: v}
	if t.open != 0 {
		p.removeContinuation()
	}
	for p.at < len(raw) {
		p.next()
	}
	if !p.cut {
		return raw
	}
	p.keepUntil(len(raw))
	return tidy(string(p.output))
}

// isPlain reports whether a sentence contains no character that only markup uses.
func isPlain(raw string) bool {
	if strings.ContainsAny(raw, "[](){}<>*_|\\`&/#~=-$%:@\x1b") || strings.Contains(raw, "NaN") {
		return false
	}
	for i := 1; i+1 < len(raw); i++ {
		if raw[i] == '.' && raw[i-1] != '.' && raw[i+1]|0x20 >= 'a' && raw[i+1]|0x20 <= 'z' {
			return false
		}
	}
	return true
}

// removeContinuation removes the continuation of a stage direction from the previous sentence.
func (p *stripper) removeContinuation() {
	t := p.turn
	if i := strings.IndexRune(p.raw, t.open); i >= 0 {
		p.drop(0, i+utf8.RuneLen(t.open), Direction)
		t.open, t.openFor = 0, 0
		return
	}
	if t.openFor++; t.openFor > maxOpen {
		t.open, t.openFor = 0, 0
		return
	}
	p.drop(0, len(p.raw), Direction)
}

// keepUntil keeps the undecided text before end.
func (p *stripper) keepUntil(end int) {
	if p.from < end {
		p.output = append(p.output, p.raw[p.from:end]...)
	}
	p.from = max(p.from, end)
}

// drop removes the text between start and end.
func (p *stripper) drop(start, end int, r Reason) {
	p.keepUntil(start)
	if len(p.output) > 0 && p.output[len(p.output)-1] != ' ' {
		p.output = append(p.output, ' ')
	}
	p.from, p.at, p.cut = end, end, true
	p.v.addReason(r)
}

// next decides about the text at p.at.
func (p *stripper) next() {
	rest := p.raw[p.at:]
	switch rest[0] {
	case 0x1b:
		p.drop(p.at, p.at+1, Markup)
		return
	case '[':
		p.bracket(rest)
		return
	case '(':
		p.parenthesis(rest)
		return
	case '{':
		p.braces(rest)
		return
	case '<':
		p.tag(rest)
		return
	case '*', '_':
		p.stars(rest)
		return
	case '|':
		p.table(rest)
		return
	case '&':
		p.entity(rest)
		return
	case '\\':
		p.escape(rest)
		return
	case '`':
		p.ticks(rest)
		return
	case '~', '-', '/':
		if p.dashes(rest) {
			return
		}
	case '$', '%', ':':
		if p.placeholder(rest) {
			return
		}
	case ']', '}', '>':
		if !(rest[0] == '>' && strings.HasPrefix(rest, "> ") && p.at > 0) {
			p.drop(p.at, p.at+1, Markup)
			return
		}
	case ')':
		p.unopened()
		return
	case '#':
		if p.hashes(rest) {
			return
		}
	}
	if p.wordStart() && p.word(rest) {
		return
	}
	_, size := utf8.DecodeRuneInString(rest)
	p.at += size
}

// hashes removes heading marks.
func (p *stripper) hashes(rest string) bool {
	n := 0
	for n < len(rest) && rest[n] == '#' {
		n++
	}
	if n > 1 || p.at == 0 && (n == len(rest) || rest[n] == ' ') {
		p.drop(p.at, p.at+n, Markup)
		return true
	}
	return false
}

// wordStart reports whether a word may begin at p.at.
func (p *stripper) wordStart() bool {
	if p.at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(p.raw[:p.at])
	return !isWordRune(r) && r != '_'
}

// word removes a web address or a call.
func (p *stripper) word(rest string) bool {
	if n := addressLength(rest); n > 0 {
		start := p.at
		if i := strings.LastIndexAny(strings.TrimRight(p.raw[:start], " "), ".!?,;"); strings.HasSuffix(strings.TrimRight(p.raw[:start], " "), ":") && start-i < 24 {
			start = i + 1
		}
		p.drop(max(start, p.from), p.at+n, Markup)
		return true
	}
	if strings.HasPrefix(rest, "NaN") && (len(rest) == 3 || !isWordRune(rune(rest[3]))) {
		p.drop(p.at, p.at+3, Markup)
		return true
	}
	n := p.turn.callLength(rest)
	if n == 0 {
		return false
	}
	start := p.at
	for _, prefix := range []string{"await ", "return ", "print("} {
		if strings.HasSuffix(p.raw[:start], prefix) {
			start -= len(prefix)
		}
	}
	end := p.at + n
	for end < len(p.raw) && strings.IndexByte(");", p.raw[end]) >= 0 {
		end++
	}
	p.drop(max(start, p.from), end, Syntax)
	return true
}

// braces removes objects and templates.
func (p *stripper) braces(rest string) {
	end := closing(rest, '{', '}')
	if end < 0 {
		end = len(rest)
	}
	reason := Markup
	if strings.ContainsAny(rest[:end], ":\"'=") {
		reason = Syntax
	}
	p.drop(p.at, p.at+end, reason)
}

// tag removes tags, including their content if it is not speech.
func (p *stripper) tag(rest string) {
	if strings.HasPrefix(rest, "<!--") {
		end := strings.Index(rest, "-->")
		if end < 0 {
			end = len(rest) - 3
		}
		p.drop(p.at, p.at+end+3, Markup)
		return
	}
	i := 1
	for i < len(rest) && strings.IndexByte("</|", rest[i]) >= 0 {
		i++
	}
	next, _ := utf8.DecodeRuneInString(rest[i:])
	if i == len(rest) || !isLetter(next) {
		p.at++
		return
	}
	end := strings.IndexByte(rest, '>')
	if end < 0 {
		p.at++
		return
	}
	for end+1 < len(rest) && rest[end+1] == '>' {
		end++
	}
	inner := rest[i:end]
	reason := p.turn.tags(inner)
	if name, _, _ := strings.Cut(fold(inner), " "); p.turn.card.commands[name] || p.turn.card.tools[name] {
		reason = Syntax
	} else if headings[name] == Model {
		reason = Model
	}
	if (reason == Prompt || reason == Syntax || reason == Model) && rest[1] != '/' {
		if i := strings.Index(rest, "</"); i > end {
			end = i - 1
		} else {
			end = len(rest) - 1
		}
		p.drop(p.at, p.at+end+1, reason)
		return
	}
	reason = Markup
	if strings.ContainsAny(inner, "_|=") && !strings.Contains(inner, "\"") {
		reason = Syntax
	}
	p.drop(p.at, p.at+end+1, reason)
}

// stars removes stage directions between asterisks or underscores, or only the marks if they surround words.
func (p *stripper) stars(rest string) {
	n := 1
	for n < len(rest) && rest[n] == rest[0] {
		n++
	}
	before, _ := utf8.DecodeLastRuneInString(p.raw[:p.at])
	if n < len(rest) && rest[n] == ' ' && (p.at == 0 || before == ' ') && rest[0] == '*' { // 3 * 4
		p.at += n
		return
	}
	end := strings.Index(rest[n:], rest[:1])
	if rest[0] == '_' && p.at > 0 && isWordRune(before) {
		p.at += n
		return
	}
	if end < 0 {
		if rest[0] == '*' && p.turn.directs(p.raw[p.from:p.at]) != "" && (n == len(rest) || !isLetter(rune(rest[n]))) {
			p.from, p.at, p.cut = p.at+n, p.at+n, true
			p.v.addReason(Direction)
			return
		}
		if rest[0] == '*' && p.turn.directs(rest[n:]) != "" {
			p.turn.open = '*'
			p.drop(p.at, len(p.raw), Direction)
			return
		}
		p.drop(p.at, p.at+n, Markup)
		return
	}
	inner := rest[n : n+end]
	stop := n + end
	for stop < len(rest) && rest[stop] == rest[0] {
		stop++
	}
	if p.turn.directs(inner) != "" {
		p.drop(p.at, p.at+stop, Direction)
		return
	}
	p.keepUntil(p.at)
	p.output = append(p.output, inner...)
	p.from, p.at, p.cut = p.at+stop, p.at+stop, true
	p.v.addReason(Markup)
}

// tidy fixes spaces and punctuation where something was removed. It returns "" if no word is left.
func tidy(text string) string {
	out := make([]byte, 0, len(text))
	words := false
	for _, r := range text {
		switch {
		case r == ' ' && (len(out) == 0 || out[len(out)-1] == ' '):
			continue
		case strings.ContainsRune(".,!?;:", r) && len(out) > 0 && out[len(out)-1] == ' ':
			out = out[:len(out)-1]
		}
		if n := len(out); r == ',' && n > 0 && out[n-1] == ',' {
			continue
		}
		if len(out) == 0 && strings.ContainsRune(".,!?;:–—", r) {
			continue
		}
		words = words || isWordRune(r)
		out = utf8.AppendRune(out, r)
	}
	if !words {
		return ""
	}
	return strings.TrimSpace(string(out))
}
