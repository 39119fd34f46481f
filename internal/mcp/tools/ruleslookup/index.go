package ruleslookup

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// The fields of a rule that are ranked by (BM25): repetition saturates, and long fields
// are worth less per word.
const (
	fieldName = iota
	fieldAliases
	fieldTags
	fieldSummary
	fieldText
	fieldAsked
	fieldGerman // what players ask in German
	fieldCount
)

// index finds rules by word. It never changes, except for the pool of scratch
// space.
type index struct {
	// stems is the vocabulary, sorted; the tables below go by its positions.
	stems []string
	near  nearWords // the stems again, to put typos right
	// germanFrom is where German stems begin in stems.
	germanFrom int
	idf        []float32
	postings   [][]posting
	english    []bool // which stems the English fields have: aliases may be German
	position   map[string]int32
	// titles maps a name or alias, as its content stems joined by spaces, to
	// the rules called so.
	titles map[string][]title
	// categories holds each rule's category.
	categories []string
	kinds      []uint8 // of them, as for leanings
	// figures holds what each rule can be asked for by, see [condition].
	figures [][]figure
	keys    []string // of the figures, sorted
	// sounds are the keys that names and aliases sound like, sounding what sounds so.
	sounds     nearWords
	sounding   [][]sound
	phrases    phrases
	leanings   leanings
	likenesses likenesses
	vocabulary *vocabulary

	scratch sync.Pool // of *scratch
}

// posting is one rule a stem occurs in, and what that is worth.
type posting struct {
	doc    int32
	impact float32
}

// title is a rule and how the text found relates to it.
type title struct {
	doc   int32
	alias bool
	// plain is the title in full, folded like [word.raw]; content is the same
	// without its stop words.
	plain, content string
}

// newIndex indexes rules; a rule's number is its position.
func newIndex(rules []rule, kept texts) *index {
	b := newBuilder(kept)
	for i, r := range rules {
		b.addRule(int32(i), r)
	}
	ix := &index{
		titles: b.titles, categories: make([]string, len(rules)), kinds: make([]uint8, len(rules)),
		figures: make([][]figure, len(rules)), vocabulary: readVocabulary(),
	}
	for i, r := range rules {
		ix.categories[i], ix.kinds[i] = r.Category, uint8(leaningKind(r.Category))
		ix.figures[i] = slices.Clone(r.allFigures(kept))
	}
	b.fillIndex(ix, len(rules))
	b.fillSounds(ix)
	b.fillPhrases(ix)
	b.fillLikenesses(ix, len(rules))
	b.fillLeanings(ix)
	ix.fillKeys()
	ix.scratch.New = func() any { return newScratch(len(rules), len(ix.phrases.rule)) }
	return ix
}

// count is how often a stem occurs in each field of a rule.
type count struct {
	doc    int32
	fields [fieldCount]uint16
}

type builder struct {
	kept    texts
	ids     map[string]int32 // of stems, as they come
	counts  [][]count        // by them
	raw     []string         // a word with the stem, by them
	german  map[string]string
	phrases []phraseOf
	kindOf  map[string]int // of words of all that is said, as they come
	kinds   []byKind       // by them
	lengths [][fieldCount]int
	titles  map[string][]title
	sounds  map[string][]sound
}

func newBuilder(kept texts) *builder {
	return &builder{
		kept: kept, ids: map[string]int32{}, german: map[string]string{}, kindOf: map[string]int{},
		titles: map[string][]title{}, sounds: map[string][]sound{},
	}
}

func (b *builder) addRule(doc int32, r rule) {
	b.lengths = append(b.lengths, [fieldCount]int{})
	b.field(doc, fieldName, r.Name)
	b.title(doc, r.Name, false)
	for _, a := range r.Aliases {
		b.field(doc, fieldAliases, a)
		b.title(doc, a, true)
	}
	for _, t := range r.Tags {
		b.field(doc, fieldTags, t)
	}
	b.field(doc, fieldSummary, r.Summary)
	b.addAsked(doc, r)
	// A long list of attacks and traits has the words of many rules and is the
	// answer to few questions; name, aliases, tags and summary find its owner.
	if r.Category != "monster" {
		b.field(doc, fieldText, r.Text)
	}
	if r.Spell != nil {
		b.field(doc, fieldTags, r.Spell.School)
		b.field(doc, fieldTags, strings.Join(r.Spell.Classes, " "))
	}
}

// field counts the words of a text.
func (b *builder) field(doc int32, field int, s string) { b.fieldWords(doc, field, wordsIn(s)) }

// fieldWords counts words and returns their stems.
func (b *builder) fieldWords(doc int32, field int, ws []word) (stems []int32) {
	for _, w := range ws {
		if stopWord(w.raw) && field != fieldName && field != fieldAliases {
			continue
		}
		b.lengths[doc][field]++
		stems = append(stems, b.count(doc, field, w.stem, w.raw))
		// Aliases and tags may be German; what inflects a word there is cut apart.
		if field == fieldAliases || field == fieldTags {
			b.count(doc, field, b.germanStem(w.raw), w.raw)
		}
	}
	return stems
}

// germanWords counts the words of a German text, which are kept apart from English ones,
// and returns their stems.
func (b *builder) germanWords(doc int32, ws []word) (stems []int32) {
	for _, w := range ws {
		if germanStop(w.raw) {
			continue
		}
		b.lengths[doc][fieldGerman]++
		stems = append(stems, b.count(doc, fieldGerman, b.germanStem(w.raw), w.raw))
	}
	return stems
}

// germanStem returns a word's stem, marked as German.
func (b *builder) germanStem(raw string) string {
	stem, known := b.german[raw]
	if !known {
		stem = germanMark + germanStem(raw)
		b.german[raw] = stem
	}
	return stem
}

// germanMark stands before German stems, which are sorted behind all others.
const germanMark = "~"

// count notes that a stem occurs in a field of a rule, and returns its number.
func (b *builder) count(doc int32, field int, stem, raw string) int32 {
	id, ok := b.ids[stem]
	if !ok {
		stem, id = b.kept.keep(stem), int32(len(b.counts))
		b.ids[stem] = id
		b.counts, b.raw = append(b.counts, nil), append(b.raw, raw)
	}
	list := b.counts[id]
	if len(list) == 0 || list[len(list)-1].doc != doc {
		list = append(list, count{doc: doc})
	}
	if c := &list[len(list)-1].fields[field]; *c < math.MaxUint16 {
		*c++
	}
	b.counts[id] = list
	return id
}

func (b *builder) title(doc int32, s string, alias bool) {
	ws := wordsIn(s)
	if len(ws) == 0 {
		return
	}
	kept := content(ws)
	key := b.kept.keep(joinStems(kept))
	t := title{doc: doc, alias: alias, plain: b.kept.keep(joinRaw(ws)), content: b.kept.keep(joinRaw(kept))}
	b.titles[key] = append(b.titles[key], t)
	if german := b.kept.keep(joinStems(germanContent(ws))); german != key {
		b.titles[german] = append(b.titles[german], t)
	}
	b.addSound(doc, ws, alias)
}

// fillIndex turns counts into ranked postings.
func (b *builder) fillIndex(ix *index, docs int) {
	var average [fieldCount]float64
	for _, l := range b.lengths {
		for f, n := range l {
			average[f] += float64(n) / float64(docs)
		}
	}
	ix.stems = slices.Sorted(maps.Keys(b.ids))
	ix.position = make(map[string]int32, len(ix.stems))
	ix.near = newNearWords(ix.stems)
	ix.germanFrom, _ = ix.near.between(germanMark)
	ix.idf = make([]float32, len(ix.stems))
	ix.postings = make([][]posting, len(ix.stems))
	ix.english = make([]bool, len(ix.stems))
	for i, s := range ix.stems {
		list := b.counts[b.ids[s]]
		n := float64(len(list))
		idf := math.Log(1 + (float64(docs)-n+0.5)/(n+0.5))
		ps := make([]posting, len(list))
		for j, c := range list {
			ix.english[i] = ix.english[i] || c.fields[fieldName]+c.fields[fieldSummary]+c.fields[fieldText]+c.fields[fieldAsked] > 0
			tf := 0.0
			for f, k := range c.fields {
				if k > 0 {
					long := float64(b.lengths[c.doc][f]) / average[f]
					tf += fields[f].weight * float64(k) / (1 + fields[f].length*(long-1))
				}
			}
			ps[j] = posting{c.doc, float32(idf * tf * (float64(saturation) + 1) / (float64(saturation) + tf))}
		}
		ix.position[s] = int32(i)
		ix.idf[i] = float32(idf)
		ix.postings[i] = ps
	}
}

func joinStems(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.stem)
	}
	return b.String()
}

func joinRaw(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.raw)
	}
	return b.String()
}

// fillKeys lists the keys that a query can set conditions for.
func (ix *index) fillKeys() {
	seen := map[string]bool{"category": true}
	for _, list := range ix.figures {
		for i := range list {
			seen[list[i].Key] = true
		}
	}
	ix.keys = slices.Sorted(maps.Keys(seen))
}

func (ix *index) known(key string) bool {
	_, ok := slices.BinarySearch(ix.keys, key)
	return ok
}
