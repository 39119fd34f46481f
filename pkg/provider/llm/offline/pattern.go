package offline

import "strings"

// pattern is a way to say something, as a sequence of words. In its source, "a|b" matches either word, "a|b?"
// is optional, and "*" captures one or more words up to the next punctuation. "^" at the start and "$" at the
// end anchor it at the ends of the clause.
type pattern struct {
	parts      []part
	start, end bool
}

type part struct {
	words    []string
	optional bool
	capture  bool
}

// match is an occurrence of a pattern.
type match struct {
	from, to int // token indices
	capture  []token
}

// patterns compiles patterns.
func patterns(sources ...string) []pattern {
	out := make([]pattern, 0, len(sources))
	for _, s := range sources {
		var p pattern
		s, p.start = strings.CutPrefix(s, "^")
		s, p.end = strings.CutSuffix(s, "$")
		for _, f := range strings.Fields(s) {
			if f == "*" {
				p.parts = append(p.parts, part{capture: true})
				continue
			}
			f, optional := strings.CutSuffix(f, "?")
			p.parts = append(p.parts, part{words: strings.Split(f, "|"), optional: optional})
		}
		out = append(out, p)
	}
	return out
}

// findMatch returns the first pattern of the table that occurs in toks, at its first occurrence.
func findMatch(table []pattern, toks []token) (match, bool) {
	for _, p := range table {
		if m, ok := p.findIn(toks); ok {
			return m, true
		}
	}
	return match{}, false
}

func (p pattern) findIn(toks []token) (match, bool) {
	for i := range toks {
		m := match{from: i}
		if p.match(toks, i, 0, &m) {
			return m, true
		}
		if p.start {
			break
		}
	}
	return match{}, false
}

// match matches the parts from index k at token i.
func (p pattern) match(toks []token, i, k int, m *match) bool {
	if k == len(p.parts) {
		m.to = i
		return !p.end || i == len(toks)
	}
	q := p.parts[k]
	if q.capture {
		return p.captureWords(toks, i, k, m)
	}
	if i < len(toks) && q.has(toks[i].fold) && p.match(toks, i+1, k+1, m) {
		return true
	}
	return q.optional && p.match(toks, i, k+1, m)
}

// captureWords captures words from token i: up to the next punctuation if the capture ends the pattern, and otherwise
// as few as possible.
func (p pattern) captureWords(toks []token, i, k int, m *match) bool {
	last := k == len(p.parts)-1
	for j := i; j < len(toks); j++ {
		closed := toks[j].stop != 0 || j == len(toks)-1
		if last && !closed {
			continue
		}
		if p.match(toks, j+1, k+1, m) {
			m.capture = toks[i : j+1]
			return true
		}
		if closed {
			return false
		}
	}
	return false
}

func (q part) has(word string) bool {
	for _, w := range q.words {
		if w == word {
			return true
		}
	}
	return false
}

// wordsOf returns the set of space-separated words.
func wordsOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
