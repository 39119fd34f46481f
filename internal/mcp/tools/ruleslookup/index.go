package ruleslookup

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// The fields of a rule that are ranked with BM25: repeated words count less and less, and a word in a long
// field counts less than one in a short field.
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

// index finds rules by word. It is immutable, except for the pool of scratch space.
type index struct {
	// stems is the sorted vocabulary. The tables below are indexed by position in it.
	stems []string
	near  nearWords // the same stems, for correcting typos
	// germanFrom is the index in stems where the German stems begin.
	germanFrom int
	idf        []float32
	postings   [][]posting
	english    []bool // whether a stem occurs in the English fields; aliases may be German
	position   map[string]int32
	// titles maps a name or alias, written as its content stems joined by spaces, to the rules that have it.
	titles map[string][]title
	// categories holds each rule's category.
	categories []string
	kinds      []uint8 // of the categories, as for leanings
	// figures holds the figures of each rule. See [condition].
	figures [][]figure
	keys    []string // of figures, sorted
	// sounds holds the sound keys of names and aliases, and sounding the names for each key.
	sounds     nearWords
	sounding   [][]sound
	phrases    phrases
	leanings   kindOdds
	likenesses likenesses
	vocabulary *vocabulary

	scratch sync.Pool // of *scratch
}

// posting is one rule in which a stem occurs, with its score.
type posting struct {
	doc    int32
	impact float32
}

// title is a rule and how the text found relates to it.
type title struct {
	doc   int32
	alias bool
	// plain is the full title, folded like [word.raw]. content is the same without stop words.
	plain, content string
}

// newIndex indexes the rules. A rule's number is its position in rules.
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
	b.fillKindOdds(ix)
	ix.fillKeys()
	ix.scratch.New = func() any { return newScratch(len(rules), len(ix.phrases.rule)) }
	return ix
}

// count is the number of occurrences of a stem in each field of a rule.
type count struct {
	doc    int32
	fields [fieldCount]uint16
}

type builder struct {
	interned texts
	ids      map[string]int32 // of stems, in order of first occurrence
	counts   [][]count        // by stem id
	raw      []string         // one word with the stem, by stem id
	german   map[string]string
	phrases  []phraseOf
	kindOf   map[string]int // of all words said about rules, in order of first occurrence
	kinds    []byKind       // by the number in kindOf
	lengths  [][fieldCount]int
	titles   map[string][]title
	sounds   map[string][]sound
}

func newBuilder(kept texts) *builder {
	return &builder{
		interned: kept, ids: map[string]int32{}, german: map[string]string{}, kindOf: map[string]int{},
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
	// The long list of a monster's attacks and traits shares words with many rules but rarely answers a
	// question. The name, aliases, tags and summary suffice to find the monster.
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

// fieldWords counts the words in a field and returns their stems.
func (b *builder) fieldWords(doc int32, field int, ws []word) (stems []int32) {
	for _, w := range ws {
		if stopWord(w.raw) && field != fieldName && field != fieldAliases {
			continue
		}
		b.lengths[doc][field]++
		stems = append(stems, b.count(doc, field, w.stem, w.raw))
		// Aliases and tags may be German, so inflected German words are stemmed too.
		if field == fieldAliases || field == fieldTags {
			b.count(doc, field, b.germanStem(w.raw), w.raw)
		}
	}
	return stems
}

// germanWords counts the words of a German text and returns their stems. German stems are kept apart from
// English ones.
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

// germanMark is the prefix of German stems. It makes them sort after all others.
const germanMark = "~"

// count records one occurrence of a stem in a field of a rule, and returns the stem's number.
func (b *builder) count(doc int32, field int, stem, raw string) int32 {
	id, ok := b.ids[stem]
	if !ok {
		stem, id = b.interned.intern(stem), int32(len(b.counts))
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
	key := b.interned.intern(joinStems(kept))
	t := title{doc: doc, alias: alias, plain: b.interned.intern(joinRaw(ws)), content: b.interned.intern(joinRaw(kept))}
	b.titles[key] = append(b.titles[key], t)
	if german := b.interned.intern(joinStems(germanContent(ws))); german != key {
		b.titles[german] = append(b.titles[german], t)
	}
	b.addSound(doc, ws, alias)
}

// fillIndex converts the counts to ranked postings.
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

// fillKeys lists the keys that a query can use in conditions.
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
