package guard

import "strings"

// bracket removes text in square brackets, terminal codes and links.
func (p *stripper) bracket(rest string) {
	if n := ansiLength(rest); n > 0 {
		p.keepUntil(p.at)
		p.from, p.at, p.cut = p.at+n, p.at+n, true
		p.v.addReason(Markup)
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

// ansiLength returns the length of a terminal code without its escape character: "[31m". It returns 0 if
// there is none.
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

// closing returns the length of text up to the bracket that matches its first one, or -1 if there is none.
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

// parenthesis removes a stage direction and keeps an aside.
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

// unopened removes a stage direction before a closing parenthesis that was never opened.
func (p *stripper) unopened() {
	before := p.raw[p.from:p.at]
	if !strings.Contains(p.raw[:p.at], "(") && p.turn.directs(before) != "" {
		p.output = p.output[:0]
		p.from, p.at, p.cut = p.at+1, p.at+1, true
		p.v.addReason(Direction)
		return
	}
	p.at++
}
