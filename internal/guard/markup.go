package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// addressLength is the length of the web address that begins a text.
func addressLength(text string) int {
	for _, scheme := range []string{"http://", "https://", "www.", "ftp://", "mailto:"} {
		if len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
			n := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"|", r) })
			if n < 0 {
				n = len(text)
			}
			return len(strings.TrimRight(text[:n], ".,!?;:"))
		}
	}
	return 0
}

// table takes out the cells of a table.
func (p *stripper) table(rest string) {
	start, end := p.at, strings.LastIndexByte(rest, '|')
	if start > 0 && end == 0 { // "Soup | 2"
		p.drop(p.from, len(p.raw), Markup)
		return
	}
	p.drop(start, p.at+end+1, Markup)
}

// entity takes out "&nbsp;".
func (p *stripper) entity(rest string) {
	end := strings.IndexByte(rest, ';')
	if end < 2 || end > 10 || strings.ContainsAny(rest[:end], " .,") {
		p.at++
		return
	}
	p.drop(p.at, p.at+end+1, Markup)
}

// escape takes out "\u2019" and "\n".
func (p *stripper) escape(rest string) {
	n := 1
	switch {
	case len(rest) > 1 && (rest[1] == 'u' || rest[1] == 'x' || rest[1] == '0'):
		n = 2
		for n < len(rest) && n < 6 && strings.IndexByte("0123456789abcdefABCDEF", rest[n]) >= 0 {
			n++
		}
	case len(rest) > 1 && strings.IndexByte("nrt\"'", rest[1]) >= 0:
		n = 2
	}
	p.keepTo(p.at)
	p.from, p.at, p.cut = p.at+n, p.at+n, true
	p.v.withhold(Markup)
}

// ticks takes out code, and the marks alone around words.
func (p *stripper) ticks(rest string) {
	n := 1
	for n < len(rest) && rest[n] == '`' {
		n++
	}
	if end := strings.IndexByte(rest[n:], '`'); end >= 0 {
		stop := n + end
		for stop < len(rest) && rest[stop] == '`' {
			stop++
		}
		if n >= 3 || strings.ContainsAny(rest[n:n+end], "_(){}=<>") {
			p.drop(p.at, p.at+stop, Syntax)
			return
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(p.raw[:p.at]); n == 1 && isWordRune(r) && len(rest) > 1 && isWordRune(rune(rest[1])) {
		p.at++ // an apostrophe
		return
	}
	p.drop(p.at, p.at+n, Syntax)
}
