package ruleslookup

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	// maxWords is the maximum number of words in a query that count.
	maxWords = 24

	// longestTitle is the maximum number of words in a name that is looked for inside a query.
	longestTitle = 6

	// weakest is the share of the best score below which a rule is left out.
	weakest = 0.2

	// halfScore is the raw score shown as 0.5.
	halfScore = 8
)

// How a rule's name or alias matches the whole query; higher is better. A name is preferred to an alias that
// matches equally well.
const (
	related     int8 = 0
	sameStems   int8 = 1 // apart from inflection and stop words
	sameContent int8 = 3 // apart from stop words
	sameWords   int8 = 5
	asName      int8 = 1 // added to the above
)

// scratch is the working memory of one search.
type scratch struct {
	total   []float32 // score by rule
	word    []float32 // best score of the current word's expansions, by rule
	exact   []int8    // how well the rule's names match the query, by rule
	touched []int32   // rules with a score for the current word
	phrases []phraseScore
	met     []int32 // phrases with a score
	unit    int32   // number of words compared with phrases so far
}

func newScratch(docs, phrases int) *scratch {
	return &scratch{
		phrases: make([]phraseScore, phrases),
		total:   make([]float32, docs),
		word:    make([]float32, docs),
		exact:   make([]int8, docs),
		touched: make([]int32, 0, docs),
	}
}

// found is a rule with its score.
type found struct {
	doc   int32
	exact int8
	score float32
}

// search returns the rules that best match query among those that meet all conditions, at most [maxResults].
func (l *library) search(query string, conditions []condition) []Hit {
	top := l.index().search(query, conditions)
	out := make([]Hit, len(top))
	for i, f := range top {
		r := &l.rules[f.doc]
		out[i] = Hit{ID: r.ID, Category: r.Category, Name: r.Name, Summary: r.Summary, Score: shown(f)}
	}
	return out
}

// shown maps a score to the range 0 to 1, in hundredths. Only a rule found by its name reaches 1.
func shown(f found) float64 {
	if f.exact > related {
		return 1
	}
	s := float64(f.score)
	return min(0.99, math.Round(100*s/(s+halfScore))/100)
}

// search returns the best rules for a query among those that meet all conditions.
func (ix *index) search(query string, conditions []condition) []found {
	q := ix.newQuestion(query)
	if len(q.all) == 0 && len(conditions) == 0 {
		return nil
	}
	s := ix.scratch.Get().(*scratch)
	defer ix.scratch.Put(s)
	clear(s.total)
	clear(s.exact)

	if len(q.all) > 0 {
		ix.markExact(s, q)
		ix.readWords(q)
		ix.scorePhrases(s, q)
		ix.scoreWords(s, q)
		ix.scoreTitles(s, q, q.meant)
		for _, meant := range q.other {
			ix.scoreTitles(s, q, meant)
		}
		ix.scoreAsked(s, q)
		ix.scoreLikeness(s, q)
		ix.scoreSounds(s, q)
		ix.favour(s, q)
		ix.favourKind(s, q)
		ix.scoreSpoken(s, q)
	}
	if len(conditions) > 0 {
		ix.dropUnsatisfying(s, conditions)
	}
	return s.top()
}

// markExact marks the rules whose name is the query.
func (ix *index) markExact(s *scratch, q *question) {
	ws := q.ws
	ix.markTitles(s, ws, joinRaw(q.all), "")
	if q.german {
		// Names keep their stop words, because a German alias is indexed like an English one.
		ix.markTitles(s, content(q.all), joinRaw(q.all), "")
	}
	if len(ws) == 1 {
		return
	}
	// "the light spell" names a spell, and "blinded condition" a condition.
	for i, w := range ws {
		if named := namedCategory(w.raw); named != "" {
			ix.markTitles(s, slices.Delete(slices.Clone(ws), i, i+1), "", named)
		}
	}
}

// markTitles marks the rules called ws. If category is not empty, it marks only rules of that category.
func (ix *index) markTitles(s *scratch, ws []word, plain, category string) {
	content := joinRaw(ws)
	for _, t := range ix.titles[joinStems(ws)] {
		if category != "" && ix.categories[t.doc] != category {
			continue
		}
		level := sameStems
		switch {
		case t.plain == plain:
			level = sameWords
		case t.content == content:
			level = sameContent
		}
		if !t.alias {
			level += asName
		}
		s.exact[t.doc] = max(s.exact[t.doc], level)
	}
}

// meaning is a stem of the vocabulary that the query contains, after correcting typing errors, and its
// rarity.
type meaning struct {
	stem   string
	rarity float32
}

// scoreWords adds up the score of each word for each rule, and records how the query was understood.
func (ix *index) scoreWords(s *scratch, q *question) {
	for i, w := range q.ws {
		list := q.lists[i]
		if len(q.ws) > 3 && namedCategory(w.raw) == "condition" {
			continue // it names the thing asked for, a word common to all of these rules
		}
		ix.scoreWord(s, list)
		_, known := ix.position[w.stem]
		if len(list) > 0 {
			at := list[0].stem
			q.meant = append(q.meant, meaning{ix.stems[at], ix.idf[at] * list[0].weight})
		}
		if !known {
			if a, b, ok := ix.split(w.raw); ok {
				ix.scoreWord(s, []expansion{{a, joined}})
				ix.scoreWord(s, []expansion{{b, joined}})
				q.meant = append(q.meant, meaning{ix.stems[a], ix.idf[a]}, meaning{ix.stems[b], ix.idf[b]})
			} else if len(list) == 0 || list[0].weight < translated {
				q.unsure = append(q.unsure, w.raw)
			}
			if q.german {
				ix.scoreCompound(s, q, w)
			}
		}
		if i+1 < len(q.ws) {
			q.meant = ix.scoreJoined(s, w, q.ws[i+1], q.meant)
		}
	}
}

// scoreJoined scores two words as the single word they form ("fire ball"), for rules that do not contain both
// of them.
func (ix *index) scoreJoined(s *scratch, a, b word, meant []meaning) []meaning {
	if len(a.raw)+len(b.raw) > maxWord {
		return meant
	}
	at, ok := ix.position[stem(a.raw+b.raw)]
	if !ok {
		return meant
	}
	s.touched = s.touched[:0]
	for _, p := range ix.postings[at] {
		if !ix.occurs(a.stem, p.doc) || !ix.occurs(b.stem, p.doc) {
			s.word[p.doc] = joined * p.impact
			s.touched = append(s.touched, p.doc)
		}
	}
	if len(s.touched) == 0 {
		return meant
	}
	s.flush()
	return append(meant, meaning{ix.stems[at], ix.idf[at]})
}

// occurs reports whether a rule contains a stem.
func (ix *index) occurs(stem string, doc int32) bool {
	at, ok := ix.position[stem]
	if !ok {
		return false
	}
	_, ok = slices.BinarySearchFunc(ix.postings[at], doc, func(p posting, doc int32) int {
		return cmp.Compare(p.doc, doc)
	})
	return ok
}

// scoreWord adds to each rule the best score of any of the expansions.
func (ix *index) scoreWord(s *scratch, list []expansion) {
	ix.scorePhraseWord(s, list)
	s.touched = s.touched[:0]
	for _, e := range list {
		for _, p := range ix.postings[e.stem] {
			if s.word[p.doc] == 0 {
				s.touched = append(s.touched, p.doc)
			}
			s.word[p.doc] = max(s.word[p.doc], e.weight*p.impact)
		}
	}
	s.flush()
}

// flush adds the scores for the current word to the totals of the touched rules.
func (s *scratch) flush() {
	for _, doc := range s.touched {
		s.total[doc] += s.word[doc]
		s.word[doc] = 0
	}
}

// scoreTitles raises the score of rules whose whole name occurs in the query, depending on the rarity of the
// name. A name inside a longer name does not count: "temporary hit points" does not contain the name "hit
// points".
func (ix *index) scoreTitles(s *scratch, q *question, meant []meaning) {
	s.touched = s.touched[:0]
	end := 0 // of the name that extends furthest so far
	for from := range meant {
		for to := min(len(meant), from+longestTitle); to > max(from, end); to-- {
			key, rarity := phrase(meant[from:to])
			called := ix.titles[key]
			// One word out of many says less than one out of two.
			rarity *= wholeTitle + (1-wholeTitle)*min(1, float32(to-from)/float32(max(1, len(q.ws))))
			for _, t := range called {
				if s.word[t.doc] == 0 {
					s.touched = append(s.touched, t.doc)
				}
				worth := titleBonus * rarity
				if t.alias {
					worth *= aliasTitle
				}
				s.word[t.doc] = max(s.word[t.doc], worth)
			}
			if len(called) > 0 {
				end = to
			}
		}
	}
	s.flush()
}

// phrase joins stems in the same way as the keys of [index.titles], and adds up their rarity.
func phrase(list []meaning) (key string, rarity float32) {
	if len(list) == 1 {
		return list[0].stem, list[0].rarity
	}
	var b strings.Builder
	for i, m := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.stem)
		rarity += m.rarity
	}
	return b.String(), rarity
}

// favour raises the score of rules in the categories that the query names. A category in its first words
// counts most, because the words after "the ring that" or "Welche Klasse" only describe it.
func (ix *index) favour(s *scratch, q *question) {
	factors := map[string]float32{}
	for i, w := range q.ws {
		named := namedCategory(w.raw)
		if named == "" {
			continue
		}
		factor := categoryBonus
		if i < 2 && len(q.ws) > 2 && !q.asksWhether() {
			factor = headBonus
		}
		factors[named] = max(factors[named], factor)
	}
	if len(factors) == 0 {
		return
	}
	for doc, c := range ix.categories {
		if factor := factors[c]; factor > 0 {
			s.total[doc] *= factor
		}
	}
}

// top returns the best rules in order: those found by name first, then by score. Rules with equal scores are
// in order of id.
func (s *scratch) top() []found {
	var list []found
	best := float32(0)
	for doc := range s.total {
		f := found{doc: int32(doc), exact: s.exact[doc], score: s.total[doc]}
		if f.score <= 0 && f.exact == related {
			continue
		}
		best = max(best, f.score)
		at, _ := slices.BinarySearchFunc(list, f, rank)
		if at >= maxResults {
			continue
		}
		list = slices.Insert(list, at, f)
		list = list[:min(len(list), maxResults)]
	}
	return slices.DeleteFunc(list, func(f found) bool {
		return f.exact == related && f.score < weakest*best
	})
}

func rank(a, b found) int {
	return cmp.Or(cmp.Compare(b.exact, a.exact), cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
}
