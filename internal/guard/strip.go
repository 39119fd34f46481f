package guard

import (
	"strings"
	"unicode/utf8"
)

// maxOpen is how many sentences a stage direction may go through whose end is missing.
const maxOpen = 3

// stripper takes out of a sentence what is no speech, from left to right.
type stripper struct {
	turn *Turn
	raw  string
	at   int
	from int // what is not decided yet begins here
	kept []byte
	cut  bool
	v    *Verdict
}

// strip returns what of a sentence is speech: without marks, links, code and stage
// directions. If nothing of it is taken out it is the sentence itself.
func (t *Turn) strip(raw string, v *Verdict) string {
	if t.open == 0 && !strings.ContainsAny(raw, "[](){}<>*_|\\`&/#~=\x1b") && !strings.Contains(raw, "www.") && !strings.Contains(raw, "NaN") {
		return raw
	}
	p := stripper{turn: t, raw: raw, v: v}
	if t.open != 0 {
		p.goOn()
	}
	for p.at < len(raw) {
		p.next()
	}
	if !p.cut {
		return raw
	}
	p.keepTo(len(raw))
	return tidy(string(p.kept))
}

// goOn takes out what goes on from the sentence before.
func (p *stripper) goOn() {
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

// keepTo keeps what is before a place and not decided yet.
func (p *stripper) keepTo(end int) {
	if p.from < end {
		p.kept = append(p.kept, p.raw[p.from:end]...)
	}
	p.from = max(p.from, end)
}

// drop takes out what is between two places.
func (p *stripper) drop(start, end int, r Reason) {
	p.keepTo(start)
	if len(p.kept) > 0 && p.kept[len(p.kept)-1] != ' ' {
		p.kept = append(p.kept, ' ')
	}
	p.from, p.at, p.cut = end, end, true
	p.v.withhold(r)
}

// next decides about what begins at p.at.
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
	case ']', '}', '>':
		if !(rest[0] == '>' && strings.HasPrefix(rest, "> ") && p.at > 0) {
			p.drop(p.at, p.at+1, Markup)
			return
		}
	case ')':
		p.unopened()
		return
	case '#', '~':
		n := 0
		for n < len(rest) && rest[n] == rest[0] {
			n++
		}
		if p.at == 0 && (n == len(rest) || rest[n] == ' ') || n > 1 {
			p.drop(p.at, p.at+n, Markup)
			return
		}
	}
	if p.wordStart() && p.word(rest) {
		return
	}
	_, size := utf8.DecodeRuneInString(rest)
	p.at += size
}

// wordStart reports whether a word may begin at p.at.
func (p *stripper) wordStart() bool {
	if p.at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(p.raw[:p.at])
	return !isWordRune(r) && r != '_'
}

// word takes out an address, or a call.
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

// bracket takes out what stands in square brackets, a terminal's codes and links.
func (p *stripper) bracket(rest string) {
	if n := ansiLength(rest); n > 0 {
		p.keepTo(p.at)
		p.from, p.at, p.cut = p.at+n, p.at+n, true
		p.v.withhold(Markup)
		return
	}
	end := closing(rest, '[', ']')
	if end < 0 {
		p.turn.open = ']'
		p.drop(p.at, len(p.raw), Direction)
		return
	}
	if end < len(rest) && rest[end] == '(' {
		if more := closing(rest[end:], '(', ')'); more > 0 {
			end += more
		} else {
			end = len(rest)
		}
		start := p.at
		if start > 0 && p.raw[start-1] == '!' {
			start--
		}
		p.drop(start, p.at+end, Markup)
		return
	}
	if reason := p.turn.tags(rest[1 : end-1]); reason != "" {
		if i := strings.LastIndexByte(rest, '['); i > 0 {
			end = i
		} else {
			end = len(rest)
		}
		p.drop(p.at, p.at+end, reason)
		return
	}
	p.drop(p.at, p.at+end, p.turn.reasonOf(rest[1:end-1]))
}

// ansiLength is the length of a terminal's code without its first sign: "[31m".
func ansiLength(text string) int {
	i := 1
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == ';' || text[i] == '?') {
		i++
	}
	if i >= len(text) || i > 20 || i == 1 && text[i] != 'm' && text[i] != 'K' && text[i] != 'J' && text[i] != 'H' {
		return 0
	}
	if strings.IndexByte("mKJHABCDGhlsu", text[i]) >= 0 {
		return i + 1
	}
	return 0
}

// closing is the length of text up to the bracket that closes its first, -1 if there
// is none.
func closing(text string, open, shut byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// parenthesis takes out a stage direction, and leaves an aside.
func (p *stripper) parenthesis(rest string) {
	end := closing(rest, '(', ')')
	inner := rest[1:]
	if end > 0 {
		inner = rest[1 : end-1]
	}
	reason := p.turn.directs(inner)
	switch {
	case reason == "":
		p.at++
		if end > 0 && !strings.ContainsAny(inner, "[]{}<>*|&\\`/_") {
			p.at += end - 1
		}
	case end < 0:
		p.turn.open = ')'
		p.drop(p.at, len(p.raw), reason)
	default:
		p.drop(p.at, p.at+end, reason)
	}
}

// unopened takes out what stands before a bracket that was never opened.
func (p *stripper) unopened() {
	before := p.raw[p.from:p.at]
	if !strings.Contains(p.raw[:p.at], "(") && p.turn.directs(before) != "" {
		p.kept = p.kept[:0]
		p.from, p.at, p.cut = p.at+1, p.at+1, true
		p.v.withhold(Direction)
		return
	}
	p.at++
}

// braces takes out objects and templates.
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

// tag takes out tags, with what stands between those that hold no speech.
func (p *stripper) tag(rest string) {
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
	if reason := p.turn.tags(inner); reason == Prompt && rest[1] != '/' {
		if i := strings.Index(rest, "</"); i > end {
			end = i - 1
		} else {
			end = len(rest) - 1
		}
		p.drop(p.at, p.at+end+1, reason)
		return
	}
	reason := Markup
	if strings.ContainsAny(inner, "_|=") && !strings.Contains(inner, "\"") {
		reason = Syntax
	}
	p.drop(p.at, p.at+end+1, reason)
}

// stars takes out stage directions between asterisks or low lines, and the marks alone
// around words.
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
	p.keepTo(p.at)
	p.kept = append(p.kept, inner...)
	p.from, p.at, p.cut = p.at+stop, p.at+stop, true
	p.v.withhold(Markup)
}

// tidy puts right the blanks and stops that are left where something was taken out. It
// returns nothing if no word is left.
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
