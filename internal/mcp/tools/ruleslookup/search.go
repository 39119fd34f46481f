package ruleslookup

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	// maxWords bounds the words of a query that count.
	maxWords = 24

	// longestTitle bounds the words of a name looked for inside a query.
	longestTitle = 6

	// titleBonus is what a name found inside the query adds, per unit of its
	// words' rarity.
	titleBonus = 1.5

	// categoryBonus multiplies the score of a rule whose category the query
	// names ("the light spell").
	categoryBonus = 1.25

	// weakest is the share of the best score below which a rule is left out.
	weakest = 0.2

	// halfScore is the raw score shown as 0.5.
	halfScore = 8
)

// How a rule's name or alias relates to the query as a whole, best last.
const (
	related = iota
	sameAliasStems
	sameNameStems
	sameAlias
	sameName
)

// scratch is the working space of one search.
type scratch struct {
	total   []float32 // score by rule
	word    []float32 // the best of the current word's expansions, by rule
	exact   []int8    // related to sameName, by rule
	touched []int32   // rules with a score for the current word
}

func newScratch(docs int) *scratch {
	return &scratch{
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

// search returns the rules that fit query best, at most [maxResults].
func (l *library) search(query string) []hit {
	top := l.index.search(query)
	out := make([]hit, len(top))
	for i, f := range top {
		e := &l.entries[f.doc]
		out[i] = hit{ID: e.id, Category: e.category, Name: e.name, Summary: e.summary, Score: shown(f)}
	}
	return out
}

// shown maps a score to 0 … 1, in hundredths. Only a rule's name reaches 1.
func shown(f found) float64 {
	if f.exact > related {
		return 1
	}
	s := float64(f.score)
	return min(0.99, math.Round(100*s/(s+halfScore))/100)
}

func (ix *index) search(query string) []found {
	all := words(query)
	if len(all) == 0 {
		return nil
	}
	ws := content(all)
	ws = ws[:min(len(ws), maxWords)]

	s := ix.scratch.Get().(*scratch)
	defer ix.scratch.Put(s)
	clear(s.total)
	clear(s.exact)

	ix.markExact(s, all, ws)
	meant := ix.scoreWords(s, ws)
	ix.scoreTitles(s, meant)
	ix.favour(s, ws)
	return s.top()
}

// markExact marks the rules the query is the name of.
func (ix *index) markExact(s *scratch, all, ws []word) {
	raw := joinRaw(all)
	for _, t := range ix.titles[joinStems(ws)] {
		level := int8(sameNameStems)
		switch {
		case t.plain == raw && t.alias:
			level = sameAlias
		case t.plain == raw:
			level = sameName
		case t.alias:
			level = sameAliasStems
		}
		s.exact[t.doc] = max(s.exact[t.doc], level)
	}
	// "the light spell" is the name of a spell, "blinded condition" of a condition.
	for i, w := range ws {
		named := namedCategory(w.stem)
		if named == "" || len(ws) == 1 {
			continue
		}
		rest := slices.Delete(slices.Clone(ws), i, i+1)
		for _, t := range ix.titles[joinStems(rest)] {
			if ix.categories[t.doc] != named {
				continue
			}
			level := int8(sameNameStems)
			if t.alias {
				level = sameAliasStems
			}
			s.exact[t.doc] = max(s.exact[t.doc], level)
		}
	}
}

// scoreWords adds up what each word is worth to each rule. It returns the
// query as stems of the vocabulary, typing errors put right.
func (ix *index) scoreWords(s *scratch, ws []word) []string {
	meant := make([]string, 0, len(ws)+2)
	for i, w := range ws {
		list := ix.expand(w, i == len(ws)-1)
		ix.scoreWord(s, list)
		if len(list) > 0 {
			meant = append(meant, ix.stems[list[0].stem])
		}
		if _, known := ix.position[w.stem]; !known {
			if a, b, ok := ix.split(w.raw); ok {
				ix.scoreWord(s, ix.expand(a, false))
				ix.scoreWord(s, ix.expand(b, false))
				meant = append(meant, a.stem, b.stem)
			}
		}
		if i+1 < len(ws) && len(w.raw)+len(ws[i+1].raw) <= maxWord {
			if at, ok := ix.position[stem(w.raw+ws[i+1].raw)]; ok {
				ix.scoreWord(s, []expansion{{at, joined}})
				meant = append(meant, ix.stems[at])
			}
		}
	}
	return meant
}

// scoreWord adds to each rule the best of what the expansions are worth to it.
func (ix *index) scoreWord(s *scratch, list []expansion) {
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

// flush adds the marks of the touched rules to their totals.
func (s *scratch) flush() {
	for _, doc := range s.touched {
		s.total[doc] += s.word[doc]
		s.word[doc] = 0
	}
}

// scoreTitles rewards rules whose whole name occurs in the query; the rarest
// such name counts.
func (ix *index) scoreTitles(s *scratch, meant []string) {
	s.touched = s.touched[:0]
	for from := range meant {
		rarity := float32(0)
		for to := from + 1; to <= len(meant) && to-from <= longestTitle; to++ {
			rarity += ix.idf[ix.position[meant[to-1]]]
			key := meant[from]
			if to-from > 1 {
				key = strings.Join(meant[from:to], " ")
			}
			for _, t := range ix.titles[key] {
				if s.word[t.doc] == 0 {
					s.touched = append(s.touched, t.doc)
				}
				s.word[t.doc] = max(s.word[t.doc], titleBonus*rarity)
			}
		}
	}
	s.flush()
}

// favour lifts rules of the category the query names.
func (ix *index) favour(s *scratch, ws []word) {
	for _, w := range ws {
		named := namedCategory(w.stem)
		if named == "" {
			continue
		}
		for doc, c := range ix.categories {
			if c == named {
				s.total[doc] *= categoryBonus
			}
		}
	}
}

// namedCategory returns the category that a stem names, "" if it names none.
func namedCategory(stem string) string {
	switch stem {
	case "spell", "cantrip":
		return "spell"
	case "condition", "status":
		return "condition"
	case "combat":
		return "combat"
	}
	return ""
}

// top returns the best rules in order: names first, then by score. Equals keep
// the order of their ids.
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
