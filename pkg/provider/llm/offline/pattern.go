package offline

import "strings"

// pattern is a way to say something, as a sequence of words. In its source,
// "a|b" is either word, "a|b?" may be missing, and "*" takes one or more words
// up to the next punctuation and is what the pattern captures. "^" at the
// start and "$" at the end tie it to the clause's ends.
type pattern struct {
	parts      []part
	start, end bool
}

type part struct {
	words    []string
	optional bool
	capture  bool
}

// match is where a pattern was found.
type match struct {
	from, to int // tokens
	capture  []token
}

// patterns compiles a table of patterns.
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

// findMatch returns the first pattern of the table that occurs in toks, at its
// first place.
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

// match tries the parts from part k on at token i.
func (p pattern) match(toks []token, i, k int, m *match) bool {
	if k == len(p.parts) {
		m.to = i
		return !p.end || i == len(toks)
	}
	q := p.parts[k]
	if q.capture {
		return p.take(toks, i, k, m)
	}
	if i < len(toks) && q.has(toks[i].fold) && p.match(toks, i+1, k+1, m) {
		return true
	}
	return q.optional && p.match(toks, i, k+1, m)
}

// take captures words from token i on: as many as there are if the capture
// ends the pattern, else as few as will do.
func (p pattern) take(toks []token, i, k int, m *match) bool {
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

// wordsOf makes a set of space-separated words.
func wordsOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
