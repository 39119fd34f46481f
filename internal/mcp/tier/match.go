package tier

import (
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	historyLen = 16 // words remembered; a power of two
	maxWord    = 64 // bytes of a word; longer ones match nothing
	maxPhrase  = 8  // words of a phrase
	maxGaps    = 64 // phrases with "…"
)

type phraseKind uint8

const (
	phrasePlain phraseKind = iota
	phraseHead             // before a gap
	phraseTail             // after a gap
)

type phrase struct {
	words []uint16
	tier  mcp.BudgetTier
	kind  phraseKind
	gap   int
}

type negator struct {
	words []uint16
	reach int
}

// matcher is an immutable word automaton.
type matcher struct {
	maybe    [512]uint64 // one bit per hash of a word in the vocabulary
	keys     []uint64    // open addressing; 0 is empty
	ids      []uint16
	shift    uint
	spelling []string    // folded, by id
	ending   [][]phrase  // phrases by the id of their last word
	negating [][]negator // negators by the id of their last word
	question []bool      // by id

	loose [][]*pattern    // patterns by the id of a word that ends them
	roles map[string]role // by folded word
}

// builder collects a matcher's vocabulary.
type builder struct {
	byWord map[string]uint16
	m      matcher
}

func compile(deep, standard []string, loose map[mcp.BudgetTier][]string) *matcher {
	b := builder{byWord: map[string]uint16{}}
	b.id("") // id 0 is "not in the vocabulary"
	b.addParts()
	for _, tier := range mcp.Tiers() {
		for _, text := range loose[tier] {
			b.addPattern(text, tier)
		}
	}
	gaps := 0
	for _, list := range []struct {
		tier    mcp.BudgetTier
		phrases []string
	}{{mcp.BudgetDeep, deep}, {mcp.BudgetStandard, standard}} {
		for _, text := range list.phrases {
			head, tail, gapped := strings.Cut(strings.ReplaceAll(text, "...", "…"), "…")
			if !gapped || gaps == maxGaps {
				b.add(phrase{words: b.split(text), tier: list.tier})
				continue
			}
			b.add(phrase{words: b.split(head), tier: list.tier, kind: phraseHead, gap: gaps})
			b.add(phrase{words: b.split(tail), tier: list.tier, kind: phraseTail, gap: gaps})
			gaps++
		}
	}
	for _, n := range negators {
		words := b.split(n.phrase)
		last := words[len(words)-1]
		b.m.negating[last] = append(b.m.negating[last], negator{words, n.reach})
	}
	for _, q := range questioners {
		b.m.question[b.split(q)[0]] = true
	}
	b.index()
	return &b.m
}

func (b *builder) add(p phrase) {
	if len(p.words) == 0 || len(p.words) > maxPhrase {
		return
	}
	last := p.words[len(p.words)-1]
	b.m.ending[last] = append(b.m.ending[last], p)
}

// split returns the ids of a phrase's words, adding new words to the vocabulary.
func (b *builder) split(text string) []uint16 {
	var ids []uint16
	for len(text) > 0 {
		word, _, sep, _ := fold(nil, text)
		if len(word) > 0 {
			ids = append(ids, b.id(string(word)))
		}
		if sep == 0 {
			sep = 1 // an ASCII separator
		}
		text = text[sep:]
	}
	return ids
}

func (b *builder) id(word string) uint16 {
	if id, ok := b.byWord[word]; ok {
		return id
	}
	id := uint16(len(b.m.spelling))
	b.byWord[word] = id
	b.m.spelling = append(b.m.spelling, word)
	b.m.ending = append(b.m.ending, nil)
	b.m.negating = append(b.m.negating, nil)
	b.m.question = append(b.m.question, false)
	b.m.loose = append(b.m.loose, nil)
	return id
}

// index builds the hash table at a quarter of its capacity, so that most words outside the vocabulary need
// only one probe.
func (b *builder) index() {
	m := &b.m
	size := 64
	for size < 4*len(m.spelling) {
		size *= 2
	}
	m.keys, m.ids = make([]uint64, size), make([]uint16, size)
	m.shift = uint(64 - bits.TrailingZeros(uint(size)))
	for id, word := range m.spelling[1:] {
		var w hasher
		for i := range len(word) {
			w.add(word[i])
		}
		h := w.sum()
		i := h >> m.shift
		for m.keys[i] != 0 {
			i = (i + 1) & uint64(size-1)
		}
		m.keys[i], m.ids[i] = h, uint16(id+1)
		m.maybe[h>>55] |= 1 << (h >> 49 & 63)
	}
}

// lookup returns the id of the word spelled raw, or 0 if it is not in the vocabulary.
func (m *matcher) lookup(h uint64, raw string) uint16 {
	mask := uint64(len(m.keys) - 1)
	for i := h >> m.shift; m.keys[i] != 0; i = (i + 1) & mask {
		if m.keys[i] != h {
			continue
		}
		// The hash of fewer than eight bytes is a bijection, so no comparison is needed.
		if id := m.ids[i]; len(raw) < 8 && len(m.spelling[id]) < 8 || m.spells(id, raw) {
			return id
		}
	}
	return 0
}

// spells reports whether raw folds to the word id. It distinguishes words with the same hash.
func (m *matcher) spells(id uint16, raw string) bool {
	if len(raw) > maxWord {
		return false
	}
	var buf [3 * maxWord]byte
	word, end, _, _ := fold(buf[:0], raw)
	return end == len(raw) && string(word) == m.spelling[id]
}

// state is the state of a scan after some words.
type state struct {
	words    [historyLen]uint16
	pos      int    // words seen
	clause   int    // first word of the clause
	sentence int    // first word of the sentence
	gaps     uint64 // heads seen in this sentence
	muted    int    // phrases that begin before this word are negated
	standard bool
}

// scan reports whether text contains a DEEP phrase and a STANDARD phrase. It stops at the first DEEP phrase
// and does not allocate.
func (m *matcher) scan(s string) (deep, standard bool) {
	text := unsafe.Slice(unsafe.StringData(s), len(s)) // read only
	if ascii(text) {
		return m.scanASCII(s, text)
	}
	var st state
	for i := 0; i < len(text); {
		class, end, sep := classes[text[i]], i, i+1
		if class == classWord {
			var h uint64
			h, end, sep, class = longWord(s, i)
			if end > i && m.addWord(&st, h, s, i, end) {
				return true, st.standard
			}
			if sep == end && sep < len(s) && text[sep] < utf8.RuneSelf {
				class = classes[text[sep]]
				sep++
			}
		}
		st.addSeparator(class)
		i = sep
	}
	return false, st.standard
}

// scanASCII is scan for pure ASCII text, which most text is. It finds separators in 64 bytes at once, so that
// finding a word does not depend on the words before it.
func (m *matcher) scanASCII(s string, text []byte) (deep, standard bool) {
	var st state
	start := 0
	for base := 0; base < len(text); base += 64 {
		for seps := separators(text, base); seps != 0; seps &= seps - 1 {
			at := base + bits.TrailingZeros64(seps)
			if at >= len(text) {
				break
			}
			if at > start {
				if h := asciiHash(text, start, at); m.maybe[h>>55]>>(h>>49&63)&1 == 0 {
					st.words[st.pos&(historyLen-1)] = 0 // like most words
					st.pos++
				} else if m.addWord(&st, h, s, start, at) {
					return true, st.standard
				}
			}
			start = at + 1
			if class := classes[text[at]]; class != classSpace {
				st.addSeparator(class)
			}
		}
	}
	deep = start < len(text) && m.addWord(&st, asciiHash(text, start, len(text)), s, start, len(s))
	return deep, st.standard
}

// longWord hashes a word in text that is not pure ASCII. It returns the end of the word, and the end and
// class of the separator after it.
func longWord(s string, i int) (h uint64, end, sep int, class uint8) {
	var buf [2 * maxWord]byte
	word, end, sep, class := fold(buf[:0], s[i:])
	var w hasher
	for _, c := range word {
		w.add(c)
	}
	return w.sum(), i + end, i + sep, class
}

// addSeparator processes a separator.
func (st *state) addSeparator(class uint8) {
	if class < classClause {
		return
	}
	st.clause, st.muted = st.pos, 0
	if class == classStop {
		st.sentence, st.gaps = st.pos, 0
	}
}

// addWord processes the word s[start:end] and reports whether it completes a DEEP phrase.
func (m *matcher) addWord(st *state, h uint64, s string, start, end int) bool {
	id := m.lookup(h, s[start:end])
	st.words[st.pos&(historyLen-1)] = id
	st.pos++
	if id == 0 {
		return false
	}
	for i := range m.ending[id] {
		p := &m.ending[id][i]
		start := st.pos - len(p.words)
		if start < st.sentence || !st.endsWith(p.words) {
			continue
		}
		if p.kind != phraseTail && start < st.muted && start >= st.clause {
			continue
		}
		switch {
		case p.kind == phraseHead:
			st.gaps |= 1 << p.gap
		case p.kind == phraseTail && st.gaps&(1<<p.gap) == 0:
		case p.tier == mcp.BudgetDeep:
			return true
		default:
			st.standard = true
		}
	}
	if len(m.loose[id]) > 0 {
		deep, standard := m.findLoose(st, id, s, end)
		st.standard = st.standard || standard
		if deep {
			return true
		}
	}
	if m.question[id] && st.muted > 0 && st.pos-1 >= st.clause && st.justNegated(m) {
		st.muted = 0
	}
	for i := range m.negating[id] {
		n := &m.negating[id][i]
		if st.pos-len(n.words) >= st.clause && st.endsWith(n.words) {
			st.muted = max(st.muted, st.pos+n.reach)
		}
	}
	return false
}

// endsWith reports whether the last words read are words.
func (st *state) endsWith(words []uint16) bool {
	if st.pos < len(words) {
		return false
	}
	for i := 1; i <= len(words); i++ {
		if st.words[(st.pos-i)&(historyLen-1)] != words[len(words)-i] {
			return false
		}
	}
	return true
}

// justNegated reports whether the word before the last one ends a negator.
func (st *state) justNegated(m *matcher) bool {
	back := *st
	back.pos--
	if back.pos <= back.clause {
		return false
	}
	for _, n := range m.negating[back.words[(back.pos-1)&(historyLen-1)]] {
		if back.endsWith(n.words) {
			return true
		}
	}
	return false
}
