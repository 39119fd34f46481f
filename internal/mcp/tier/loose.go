package tier

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Loose patterns match variations of a phrase, such as "think very carefully" or "überleg es dir gut". They
// are checked only if a word occurs that ends a pattern and, a few words before it, one that begins it, so
// that all other words cost nothing.

const (
	lookBack  = historyLen - 1 // words a pattern may span
	maxFiller = 6              // filler words in one gap
	maxAny    = 8              // any words in one gap
)

type gapKind uint8

const (
	gapNone   gapKind = iota
	gapFiller         // "~": words that only colour or address
	gapWide           // "^": those, and articles and amounts
	gapAny            // "…": any words of the sentence except negations
)

// element is one word of a pattern, or several alternatives, and the gap before it.
type element struct {
	words []uint16 // by role
	gap   gapKind
}

// pattern is a loose phrase.
type pattern struct {
	elements []element
	heads    []uint16 // words that begin it, in the matcher's vocabulary
	tier     mcp.BudgetTier
}

// part is a bit set of the roles that a word can have in or beside a pattern.
type part uint8

const (
	partFiller part = 1 << iota
	partArticle
	partNegation
	partSubject
	partModal
)

// role is a word in patterns; id 0 means that no pattern contains it.
type role struct {
	id    uint16
	parts part
}

// role returns the id of a word's role, creating it if necessary.
func (b *builder) role(word string, parts part) uint16 {
	folded, _, _, _ := fold(nil, word)
	r, ok := b.m.roles[string(folded)]
	if !ok {
		r.id = uint16(len(b.m.roles) + 1)
	}
	r.parts |= parts
	b.m.roles[string(folded)] = r
	return r.id
}

// addPattern compiles a pattern of words and alternatives ("a|b"), between which "~", "^" and "…" are gaps.
func (b *builder) addPattern(text string, tier mcp.BudgetTier) {
	p := &pattern{tier: tier}
	gap := gapNone
	fields := strings.Fields(text)
	for _, field := range fields {
		switch field {
		case "~":
			gap = gapFiller
		case "^":
			gap = gapWide
		case "…":
			gap = gapAny
		default:
			e := element{gap: gap}
			for word := range strings.SplitSeq(field, "|") {
				e.words = append(e.words, b.role(word, 0))
			}
			p.elements = append(p.elements, e)
			gap = gapNone
		}
	}
	p.heads = b.split(strings.ReplaceAll(fields[0], "|", " "))
	for _, id := range b.split(strings.ReplaceAll(fields[len(fields)-1], "|", " ")) {
		b.m.loose[id] = append(b.m.loose[id], p)
	}
}

// spoken is a spoken word as patterns see it.
type spoken struct {
	role
	// clause and sentence report whether a new one begins with the word.
	clause, sentence bool
}

// findLoose reports which tiers are selected by patterns that end with the word id, which ends at s[:end].
func (m *matcher) findLoose(st *state, id uint16, s string, end int) (deep, standard bool) {
	var words []spoken
	var buf [lookBack + 1]spoken
	for _, p := range m.loose[id] {
		if !st.hasHead(p) {
			continue
		}
		if words == nil {
			words = m.wordsBefore(buf[:0], s, end)
		}
		head, ok := matchBack(p.elements, words, len(words)-1)
		if !ok || isStatement(words, head) {
			continue
		}
		if start := st.pos - (len(words) - head); start < st.muted && start >= st.clause {
			continue
		}
		deep = deep || p.tier == mcp.BudgetDeep
		standard = standard || p.tier == mcp.BudgetStandard
	}
	return deep, standard
}

// hasHead reports whether a word that begins p is among the last words of the sentence.
func (st *state) hasHead(p *pattern) bool {
	for i := max(st.sentence, st.pos-lookBack-1); i < st.pos; i++ {
		if slices.Contains(p.heads, st.words[i&(historyLen-1)]) {
			return true
		}
	}
	return false
}

// lastWords returns the last words of text, at most lookBack, as far as they belong to one sentence. It
// recognises only ASCII separators.
func lastWords(text string) string {
	inWord, words := false, 0
	for i := len(text) - 1; i >= 0; i-- {
		switch class := classes[text[i]]; {
		case class == classStop:
			return text[i+1:]
		case class != classWord:
			if inWord {
				words++
			}
			if inWord = false; words == lookBack {
				return text[i+1:]
			}
		default:
			inWord = true
		}
	}
	return text
}

// wordsBefore returns the last words of s[:end].
func (m *matcher) wordsBefore(words []spoken, s string, end int) []spoken {
	text := lastWords(s[:end])
	clause, sentence := true, true
	var buf [3 * maxWord]byte
	for len(text) > 0 {
		word, size, sep, class := fold(buf[:0], text)
		if len(word) > 0 {
			if len(words) > lookBack { // there are separators beyond ASCII
				words = slices.Delete(words, 0, 1)
			}
			words = append(words, spoken{m.roles[string(word)], clause, sentence})
			clause, sentence = false, false
		}
		if sep == size { // an ASCII separator, or the end
			if sep < len(text) {
				class = classes[text[sep]]
			}
			sep++
		}
		clause, sentence = clause || class >= classClause, sentence || class == classStop
		text = text[min(sep, len(text)):]
	}
	return words
}

// matchBack matches elements backwards, the last one with the word at index at, and returns the index of the
// word that matches the first.
func matchBack(elements []element, words []spoken, at int) (head int, ok bool) {
	last := elements[len(elements)-1]
	if !slices.Contains(last.words, words[at].id) {
		return 0, false
	}
	rest := elements[:len(elements)-1]
	if len(rest) == 0 {
		return at, true
	}
	for skipped := 0; at > 0; skipped++ {
		if words[at].sentence || words[at].clause && last.gap != gapAny {
			return 0, false
		}
		at--
		if head, ok := matchBack(rest, words, at); ok {
			return head, true
		}
		if !last.gap.allowsWord(words[at].parts, skipped) {
			return 0, false
		}
	}
	return 0, false
}

// allowsWord reports whether a gap that has skipped words so far may contain another word.
func (g gapKind) allowsWord(p part, skipped int) bool {
	switch g {
	case gapFiller:
		return skipped < maxFiller && p&partFiller != 0
	case gapWide:
		return skipped < maxFiller && p&(partFiller|partArticle) != 0
	case gapAny:
		return skipped < maxAny && p&partNegation == 0
	}
	return false
}

// isStatement reports whether the speaker makes a statement rather than a request, as in "I think very hard
// of you" or "I will think it over".
func isStatement(words []spoken, head int) bool {
	for ; head > 0 && !words[head].clause; head-- {
		if parts := words[head-1].parts; parts&partModal == 0 {
			return parts&partSubject != 0
		}
	}
	return false
}

// addParts adds the words that gaps and statements depend on.
func (b *builder) addParts() {
	b.m.roles = map[string]role{}
	for parts, words := range map[part]string{partFiller: fillers, partArticle: articles, partNegation: negations, partSubject: subjects, partModal: modals} {
		for word := range strings.FieldsSeq(words) {
			b.role(word, parts)
		}
	}
}
