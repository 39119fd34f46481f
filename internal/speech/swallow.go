package speech

import "unicode"

// removalKind is the kind of content that is being removed.
type removalKind int

const (
	nothing  removalKind = iota
	tagHead              // inside <name …, up to '>'
	tagBody              // up to </name>
	fence                // up to three backticks
	brackets             // up to the bracket that matches the first
)

// removal finds the end of something that is being removed, rune by rune.
type removal struct {
	kind   removalKind
	name   string // of the tag, in lower case
	single bool   // brackets: apostrophes are quotes as well

	depth   int  // of brackets
	quote   rune // the open quote, 0 if none
	escaped bool
	slash   bool // tagHead: the last rune was '/'
	blank   bool // brackets: only white space since the last line break
}

// consume consumes the beginning of rest and reports whether the removal ends with it. It consumes
// nothing if it needs more text. If final, it always consumes some.
func (w *removal) consume(rest []rune, final bool) (n int, done bool) {
	switch w.kind {
	case tagHead:
		return 1, w.consumeTagHead(rest[0])
	case tagBody:
		return w.consumeTagBody(rest, final)
	case fence:
		return w.consumeFence(rest, final)
	}
	return 1, w.consumeBracket(rest[0])
}

// consumeTagHead ends the removal if the tag closes itself. Otherwise the body follows.
func (w *removal) consumeTagHead(r rune) bool {
	if r == '>' && !w.slash {
		w.kind = tagBody
	}
	closed := r == '>' && w.slash
	w.slash = r == '/'
	return closed
}

func (w *removal) consumeTagBody(rest []rune, final bool) (int, bool) {
	if rest[0] != '<' {
		return 1, false
	}
	i := 1
	for _, want := range "/" + w.name {
		if i == len(rest) && !final {
			return 0, false
		}
		if i == len(rest) || unicode.ToLower(rest[i]) != want {
			return 1, false
		}
		i++
	}
	switch {
	case i == len(rest) && !final:
		return 0, false
	case i == len(rest) || rest[i] != '>':
		return 1, false
	}
	return i + 1, true
}

func (w *removal) consumeFence(rest []rune, final bool) (int, bool) {
	n := 0
	for n < len(rest) && n < maxRun && rest[n] == '`' {
		n++
	}
	if n == len(rest) && n < maxRun && !final {
		return 0, false
	}
	return max(n, 1), n >= 3
}

// consumeBracket ends at the closing bracket, or at an empty line in case the bracket is missing.
func (w *removal) consumeBracket(r rune) bool {
	if r == '\n' && w.blank {
		return true
	}
	w.blank = r == '\n' || w.blank && unicode.IsSpace(r)
	switch {
	case w.escaped:
		w.escaped = false
	case w.quote != 0 && r == '\\':
		w.escaped = true
	case w.quote != 0:
		if r == w.quote {
			w.quote = 0
		}
	case r == '"', r == '\'' && w.single:
		w.quote = r
	case r == '(', r == '[', r == '{':
		w.depth++
	case r == ')', r == ']', r == '}':
		w.depth--
		return w.depth <= 0
	}
	return false
}
