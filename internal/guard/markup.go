package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// addressLength returns the length of the web address at the beginning of a text, or 0.
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
	n := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"|()[]", r) })
	if n < 0 {
		n = len(text)
	}
	token := strings.TrimRight(text[:min(n, 200)], ".,!?;:'")
	host, _, path := strings.Cut(token, "/")
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || !domains[host[dot+1:]] && !(path && dot < len(host)-2) {
		return 0
	}
	return len(token)
}

// domains are the endings of host names and file names.
var domains = newWordSet(`com org net io html htm png jpg jpeg gif pdf example md txt json yaml mp3 wav csv php co uk`)

// table removes table cells.
func (p *stripper) table(rest string) {
	start, end := p.at, strings.LastIndexByte(rest, '|')
	if start > 0 && end == 0 { // "Soup | 2"
		p.drop(p.from, len(p.raw), Markup)
		return
	}
	p.drop(start, p.at+end+1, Markup)
}

// entity removes HTML entities such as "&nbsp;".
func (p *stripper) entity(rest string) {
	end := strings.IndexByte(rest, ';')
	if end < 2 || end > 10 || strings.ContainsAny(rest[:end], " .,") {
		p.at++
		return
	}
	p.drop(p.at, p.at+end+1, Markup)
}

// escape removes escape sequences such as "\u2019" and "\n".
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
	p.keepUntil(p.at)
	p.from, p.at, p.cut = p.at+n, p.at+n, true
	p.v.addReason(Markup)
}

// ticks removes code, or only the backticks if they surround words.
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

// dashes removes a stage direction between hyphens, tildes or slashes.
func (p *stripper) dashes(rest string) bool {
	mark := rest[:1]
	if mark == "~" && strings.HasPrefix(rest, "~~") {
		p.drop(p.at, p.at+2, Markup)
		return true
	}
	end := strings.Index(rest[1:min(len(rest), 80)], mark)
	if !p.wordStart() || end < 3 || rest[1] == ' ' {
		return false
	}
	var room [16]word
	s := readWords(rest[1:1+end], room[:0])
	if len(s.words) == 0 || !gestures[s.at(0)] || s.words[0].capital || len(s.words) > 6 {
		return false
	}
	p.drop(p.at, p.at+end+2, Direction)
	return true
}

// placeholder removes "$NAME", "%s" and ":smile:".
func (p *stripper) placeholder(rest string) bool {
	n := 1
	for n < len(rest) && n < 40 && (rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z' || rest[n] == '_') {
		n++
	}
	switch {
	case n == 1 || !p.wordStart():
		return false
	case rest[0] == ':':
		if n == len(rest) || rest[n] != ':' {
			return false
		}
		n++
	case rest[0] == '%':
		if n != 2 {
			return false
		}
	}
	p.drop(p.at, p.at+n, Markup)
	return true
}
