package ruleslookup

import (
	"math"
	"slices"
)

// Kinds of rules that players ask for in different ways.
const (
	kindRule = iota
	kindSpell
	kindMonster
	kindThing
	kindHero
	kindCondition
	kindCount
)

// leaningKind returns the kind of a category.
func leaningKind(category string) int {
	switch category {
	case "spell":
		return kindSpell
	case "monster":
		return kindMonster
	case "equipment", "item", "poison":
		return kindThing
	case "class", "subclass", "feature", "race", "subrace", "background", "feat", "skill":
		return kindHero
	case "condition":
		return kindCondition
	}
	return kindRule
}

// byKind holds one value for each kind of rule.
type byKind [kindCount]float32

// kindOdds estimate from the words of a question, including stop words, which kind of rule it asks for. They
// use naive Bayes: how often each word occurs in text about each kind.
type kindOdds struct {
	words []string // sorted; German ones by stem
	odds  []byKind // by word, as logarithms
}

// learnKind counts the words of a phrase about a rule of the given category.
func (b *builder) learnKind(category string, ws []word, german bool, weight float32) {
	kind := leaningKind(category)
	for _, w := range ws {
		key := w.stem
		if german {
			key = b.germanStem(w.raw)
		}
		at, known := b.kindOf[key]
		if !known {
			at = len(b.kinds)
			b.kindOf[key] = at
			b.kinds = append(b.kinds, byKind{})
		}
		b.kinds[at][kind] += weight
	}
}

// fillKindOdds computes the log odds of the kinds for every word that occurs more than once.
func (b *builder) fillKindOdds(ix *index) {
	var shares byKind
	whole := float32(0)
	for _, seen := range b.kinds {
		for k, n := range seen {
			shares[k] += n
			whole += n
		}
	}
	for k := range shares {
		shares[k] /= max(whole, 1)
	}
	l := &ix.leanings
	for key, at := range b.kindOf {
		if b.kinds[at].sum() > 1 {
			l.words = append(l.words, b.interned.intern(key))
		}
	}
	slices.Sort(l.words)
	l.words = slices.Clip(l.words)
	l.odds = make([]byKind, len(l.words))
	for i, key := range l.words {
		seen := b.kinds[b.kindOf[key]]
		all := seen.sum()
		for k, n := range seen {
			if shares[k] > 0 {
				l.odds[i][k] = float32(math.Log(float64((n + rareWord*shares[k]) / (shares[k] * (all + rareWord)))))
			}
		}
	}
}

func (c byKind) sum() (all float32) {
	for _, n := range c {
		all += n
	}
	return all
}

// likely returns the log-likelihood of each kind.
func (l *kindOdds) likely(q *question) (out byKind) {
	for _, w := range q.all {
		key := w.stem
		if q.german {
			key = germanMark + germanStem(w.raw)
		}
		if at, known := slices.BinarySearch(l.words, key); known {
			for k, x := range l.odds[at] {
				out[k] += x
			}
		}
	}
	return out
}

// favourKind raises the score of rules of the kinds that the question probably asks for.
func (ix *index) favourKind(s *scratch, q *question) {
	factor := ix.leanings.likely(q)
	best := slices.Max(factor[:])
	for k, x := range factor {
		factor[k] = float32(math.Exp(float64(kindBonus * max(x-best, -unlikeliest))))
	}
	for doc, k := range ix.kinds {
		s.total[doc] *= factor[k]
	}
}
