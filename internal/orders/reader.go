package orders

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// maxWords is the maximum number of words of an order other than Say, maxName that of a name, and
	// maxPhrase that of a lexicon entry.
	maxWords, maxName, maxPhrase = 24, 4, 8
	// maxParticle is the maximum length in bytes of a particle before a separable verb.
	maxParticle = 8
)

// lexicon maps words and phrases to their classes. openings maps the first words of phrases to the longest
// length.
var lexicon, openings = readVocabulary()

func readVocabulary() (classes map[string]class, first map[string]int) {
	classes, first = map[string]class{}, map[string]int{}
	for _, v := range vocabulary {
		for p := range strings.SplitSeq(outside(v.words), "\x00") {
			phrases := expand(p)
			if !strings.ContainsAny(v.words, "|") {
				phrases = strings.Fields(p)
			}
			for _, phrase := range phrases {
				if phrase == "" {
					continue
				}
				classes[phrase] |= v.of
				w, _, _ := strings.Cut(phrase, " ")
				first[w] = max(first[w], strings.Count(phrase, " ")+1)
			}
		}
	}
	return classes, first
}

// outside splits a pattern at the bars outside brackets, by replacing them with NUL.
func outside(pattern string) string {
	depth, out := 0, []byte(pattern)
	for i, c := range out {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			out[i] = 0
		}
	}
	return string(out)
}

// mention is a range of words that names someone.
type mention struct {
	from, to int
	npc      int
	ours     bool // by a word that no one in a story uses
}

// token is a word of an order, or a phrase of the lexicon.
type token struct {
	text string
	of   class
}

// mentions returns the ranges that may be the target of an order, longest first. Those that may contain words
// of the order come last.
func mentions(words []word, room Room) []mention {
	var sure, perhaps []mention
	for n := min(maxName, len(words)); n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			npc, ok := target(words[i:i+n], room)
			if !ok {
				continue
			}
			m := mention{from: i, to: i + n, npc: npc}
			m.ours = npc == Everyone && slices.ContainsFunc(words[i:i+n], func(w word) bool { return ofTheProgram[w.folded] })
			for m.from > 0 && titles[words[m.from-1].folded] {
				m.from--
			}
			if n > 1 && (lexicon[words[i].folded] != 0 || lexicon[words[i+n-1].folded] != 0) && npc != Everyone {
				perhaps = append(perhaps, m)
			} else {
				sure = append(sure, m)
			}
		}
	}
	for i := range sure { // "Doctor" and "Pryce", one after the other
		for _, next := range sure[i+1:] {
			if m := &sure[i]; m.npc == next.npc && m.npc != Everyone && m.to == next.from {
				m.to = next.to
			}
		}
	}
	sure = append(sure, perhaps...)
	return append(sure, pronounced(words, sure)...)
}

// maxBack is how many words back a pronoun can refer.
const maxBack = 20

// pronounced returns the pronouns that refer to the only NPC named before them.
func pronounced(words []word, named []mention) (out []mention) {
	for i, w := range words {
		if !pronouns[w.folded] {
			continue
		}
		npc := Everyone
		for _, m := range named {
			switch {
			case m.to > i || m.to < i-maxBack || m.npc == Everyone || npc == m.npc:
			case npc == Everyone:
				npc = m.npc
			default:
				return out
			}
		}
		if npc != Everyone {
			out = append(out, mention{i, i + 1, npc, false})
		}
	}
	return out
}

// target returns whom words name.
func target(words []word, room Room) (npc int, ok bool) {
	joined := join(words)
	if everyone[joined] {
		return Everyone, true
	}
	npc, ok = room.Named(strings.TrimSuffix(joined, "'s"))
	if n := len(words); ok && n > 1 {
		if linked(words[0]) {
			_, shorter := room.Named(join(words[1:]))
			ok = !shorter
		}
		if linked(words[n-1]) {
			_, shorter := room.Named(join(words[:n-1]))
			ok = ok && !shorter
		}
	}
	return npc, ok
}

// linked reports whether a word at the edge of a name may be dropped from it.
func linked(w word) bool { return linking[w.folded] || lexicon[w.folded]&filler != 0 }

// tokenize splits words into entries of the lexicon, longest first. ok is false if a word is in none.
func tokenize(words []word, out []token) (_ []token, ok bool) {
	for i := 0; i < len(words); {
		n := 1
		for n < min(openings[words[i].folded], len(words)-i) && words[i+n-1].stop == 0 {
			n++
		}
		for ; n > 0; n-- {
			s := join(words[i : i+n])
			if of, ok := lexicon[s]; ok {
				out = append(out, token{s, of})
				break
			}
		}
		if n == 0 {
			particle, verb, ok := separate(words[i].folded)
			if !ok {
				return nil, false
			}
			out = append(out, particle, verb)
			n = 1
		}
		i += n
	}
	return out, true
}

// separate splits a German separable verb that begins with its particle: "anzumachen" into "an" and "machen".
func separate(w string) (particle, verb token, ok bool) {
	for n := 2; n < len(w)-2 && n <= maxParticle; n++ {
		p := w[:n]
		if !particles[p] {
			continue
		}
		v := strings.TrimPrefix(w[n:], "zu")
		if lexicon[v]&verbs != 0 {
			return token{p, lexicon[p]}, token{v, lexicon[v]}, true
		}
	}
	return token{}, token{}, false
}

// readAbout parses an order about a mention, or about no one if m is nil.
func readAbout(words []word, m *mention, room Room) (parsed, bool) {
	var before, tokens []token
	ok := true
	if m == nil {
		if tokens, ok = tokenize(words, nil); !ok {
			return parsed{}, false
		}
	} else {
		if before, ok = tokenize(words[:m.from], nil); !ok {
			return parsed{}, false
		}
		if tokens, ok = tokenize(words[m.to:], slices.Clone(before)); !ok {
			return parsed{}, false
		}
	}
	var any class
	for _, t := range tokens {
		any |= t.of
	}
	for i := range frames {
		f := &frames[i]
		if !f.isAbout(m, any) || !f.fits(tokens, m) || misled(f, words, before, tokens, m) {
			continue
		}
		o := Order{Kind: f.kind, NPC: Everyone, Tier: f.tier}
		if m != nil {
			o.NPC = m.npc
		}
		requested := m != nil && m.npc != Everyone && has(before, asking) && (isQuestion(words) || !slices.ContainsFunc(before, func(t token) bool { return relaying[t.text] })) && (has(before, causing|making|setting|turning) || has(tokens, leaving))
		p := parsed{Order: o, requested: m != nil && isRequest(f, words, before, tokens, m), explicit: requested || f.plain || m != nil && m.ours || (f.kind == Raise || f.kind == Lower) && f.has[0] != time && has(before, causing|making)}
		switch f.kind {
		case EndSession:
			p.NPC = 0
		case Resume:
			if !f.freed && !room.Silenced(o.NPC) {
				return parsed{}, false
			}
		case Think:
			switch causes := has(before, causing|making) || has(tokens, leaving); {
			case m == nil:
				p.NPC = room.Partner
				return p, room.Partner >= 0
			case causes || has(tokens, wanting) && !has(tokens, urging):
				if causes {
					p.Kind, p.Tier = Raise, mcp.BudgetDeep
				}
			}
		case Raise:
			p.Order = p.toTier(tokens)
		}
		return p, true
	}
	return parsed{}, false
}

// toTier returns the order with the tier that its words name.
func (p parsed) toTier(tokens []token) Order {
	o := p.Order
	if o.Tier != mcp.BudgetFast {
		return o
	}
	for _, t := range tokens {
		for level, words := range tierWords {
			if words[t.text] {
				o.Tier = level
			}
		}
	}
	if o.Tier == mcp.BudgetFast || slices.ContainsFunc(tokens, func(t token) bool { return t.of&(lowering|raising) == lowering }) || slices.ContainsFunc(tokens, func(t token) bool { return downward[t.text] }) {
		o.Kind = Lower
	}
	return o
}

// isAbout reports whether a frame fits the target.
func (f *frame) isAbout(m *mention, any class) bool {
	if f.ours && (m == nil || !m.ours) || f.single && (m == nil || m.npc == Everyone && !m.ours) {
		return false
	}
	for _, c := range f.has {
		if any&c == 0 {
			return false
		}
	}
	switch {
	case m == nil:
		return f.alone || f.kind == Resume && f.has[0] == resuming || f.kind == Resume && f.has[0] == allowing && any&(resuming|speaking) != 0 && any&again != 0 || f.kind == Think
	case f.alone:
		return m.npc == Everyone
	}
	return true
}

// fits reports whether each class of a frame has a word, and all other words are filler or allowed.
func (f *frame) fits(tokens []token, m *mention) bool {
	may := filler | again | f.may
	if m != nil && m.npc == Everyone {
		may |= all
	}
	for _, c := range f.has {
		may |= c
	}
	for _, t := range tokens {
		if t.of&may == 0 {
			return false
		}
	}
	return assign(f.has, tokens, 0)
}

// assign reports whether each class can have a word of its own.
func assign(need []class, tokens []token, taken uint32) bool {
	if len(need) == 0 {
		return true
	}
	for i, t := range tokens {
		if t.of&need[0] != 0 && taken&(1<<i) == 0 && assign(need[1:], tokens, taken|1<<i) {
			return true
		}
	}
	return false
}

// has reports whether one of the tokens has a class.
func has(tokens []token, c class) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.of&c != 0 })
}
