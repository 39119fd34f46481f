package ruleslookup

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// The parameters of the ranking (BM25 with weighted fields): a word in a name
// counts as much as several in the text, repetition saturates, and long fields
// are worth less per word.
const saturation = 1.2

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

// fields holds each field's weight and how much its length matters (0 to 1).
var fields = [fieldCount]struct{ weight, length float64 }{
	fieldName:    {4, 0.3},
	fieldAliases: {5, 0.2},
	fieldTags:    {2, 0.2},
	fieldSummary: {1.5, 0.5},
	fieldText:    {1, 0.7},
	fieldAsked:   {3, 0.3},
	fieldGerman:  {2, 0.3},
}

// index finds rules by word. It never changes, except for the pool of scratch
// space.
type index struct {
	// stems is the vocabulary, sorted; the tables below go by its positions.
	stems    []string
	letters  []uint32 // which letters a stem has, to rule out typos cheaply
	idf      []float32
	postings [][]posting
	english  []bool // which stems the English fields have: aliases may be German
	position map[string]int32
	// titles maps a name or alias, as its content stems joined by spaces, to
	// the rules called so.
	titles map[string][]title
	// categories holds each rule's category.
	categories []string
	// figures holds what each rule can be asked for by, see [condition].
	figures [][]figure
	keys    []string // of the figures, sorted
	// sounds are the names and aliases by how their sound begins and how long it is;
	// bySound says where a sound is.
	sounds       []sound
	soundLetters []uint32
	bySound      map[string][]int32
	vocabulary   *vocabulary

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
	b := builder{kept: kept, counts: map[string][]count{}, titles: map[string][]title{}}
	for i, r := range rules {
		b.addRule(int32(i), r)
	}
	ix := &index{titles: b.titles, categories: make([]string, len(rules)), figures: make([][]figure, len(rules)), vocabulary: readVocabulary()}
	for i, r := range rules {
		ix.categories[i] = r.Category
		ix.figures[i] = slices.Clone(r.allFigures(kept))
	}
	b.fillIndex(ix, len(rules))
	b.fillSounds(ix)
	ix.fillKeys()
	ix.scratch.New = func() any { return newScratch(len(rules)) }
	return ix
}

// count is how often a stem occurs in each field of a rule.
type count struct {
	doc    int32
	fields [fieldCount]uint16
}

type builder struct {
	kept    texts
	counts  map[string][]count
	lengths [][fieldCount]int
	titles  map[string][]title
	sounds  []sound
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
	b.field(doc, fieldAsked, r.asked.english)
	b.german(doc, r.asked.german)
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

func (b *builder) field(doc int32, field int, s string) {
	for _, w := range words(s) {
		if stopWord(w.raw) && field != fieldName && field != fieldAliases {
			continue
		}
		b.lengths[doc][field]++
		b.count(doc, field, w.stem)
		// Aliases and tags may be German; what inflects a word there is cut apart.
		if field == fieldAliases || field == fieldTags {
			b.count(doc, field, germanMark+germanStem(w.raw))
		}
	}
}

// german counts the words of a German text, which are kept apart from English ones.
func (b *builder) german(doc int32, s string) {
	for _, w := range words(s) {
		if germanStop(w.raw) {
			continue
		}
		b.lengths[doc][fieldGerman]++
		b.count(doc, fieldGerman, germanMark+germanStem(w.raw))
	}
}

// germanMark stands before German stems, which are sorted behind all others.
const germanMark = "~"

func (b *builder) count(doc int32, field int, stem string) {
	list, ok := b.counts[stem]
	if !ok {
		stem = b.kept.keep(stem)
	}
	if len(list) == 0 || list[len(list)-1].doc != doc {
		list = append(list, count{doc: doc})
	}
	if c := &list[len(list)-1].fields[field]; *c < math.MaxUint16 {
		*c++
	}
	b.counts[stem] = list
}

func (b *builder) title(doc int32, s string, alias bool) {
	ws := words(s)
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
	ix.stems = make([]string, 0, len(b.counts))
	for s := range b.counts {
		ix.stems = append(ix.stems, s)
	}
	slices.Sort(ix.stems)
	ix.position = make(map[string]int32, len(ix.stems))
	ix.letters = make([]uint32, len(ix.stems))
	ix.idf = make([]float32, len(ix.stems))
	ix.postings = make([][]posting, len(ix.stems))
	ix.english = make([]bool, len(ix.stems))
	for i, s := range ix.stems {
		list := b.counts[s]
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
			ps[j] = posting{c.doc, float32(idf * tf * (saturation + 1) / (saturation + tf))}
		}
		ix.position[s] = int32(i)
		ix.letters[i] = letterSet(s)
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
			seen[list[i].key] = true
		}
	}
	ix.keys = slices.Sorted(maps.Keys(seen))
}

func (ix *index) known(key string) bool {
	_, ok := slices.BinarySearch(ix.keys, key)
	return ok
}
