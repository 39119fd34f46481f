package ruleslookup

import (
	"math"
	"slices"
)

// phrases finds rules by the way players ask for them. Each phrase is compared separately, because no
// question uses the words of all of a rule's phrases together.
type phrases struct {
	rule   []int32   // by phrase: the rule it belongs to
	weight []float32 // by phrase: the combined weight of its words
	begin  []int32   // by stem: index in with of its first phrase
	with   []int32
	rarity []float32 // by stem: its rarity, squared
}

// phraseOf is a phrase as it is read.
type phraseOf struct {
	rule  int32
	stems []int32 // as in [builder.ids], without duplicates
}

// addAsked records the phrases with which players ask for a rule.
func (b *builder) addAsked(doc int32, r rule) {
	b.learnKind(r.Category, wordsIn(r.Name), false, 1)
	b.learnKind(r.Category, wordsIn(r.Summary), false, 0.3)
	for _, alias := range r.Aliases {
		ws := wordsIn(alias)
		b.learnKind(r.Category, ws, false, 1)
		b.learnKind(r.Category, ws, true, 1)
	}
	for _, phrase := range r.Asked.English {
		ws := wordsIn(phrase)
		b.learnKind(r.Category, ws, false, 1)
		b.phrase(doc, b.fieldWords(doc, fieldAsked, ws))
	}
	for _, phrase := range r.Asked.German {
		ws := wordsIn(phrase)
		b.learnKind(r.Category, ws, true, 1)
		b.phrase(doc, b.germanWords(doc, ws))
	}
}

func (b *builder) phrase(rule int32, stems []int32) {
	slices.Sort(stems)
	if stems = slices.Compact(stems); len(stems) > 0 {
		b.phrases = append(b.phrases, phraseOf{rule, stems})
	}
}

// fillPhrases indexes the phrases by stem.
func (b *builder) fillPhrases(ix *index) {
	at := make([]int32, len(b.counts)) // position of a stem in the index, by stem number
	for i, s := range ix.stems {
		at[b.ids[s]] = int32(i)
	}
	p := phrases{
		rule: make([]int32, len(b.phrases)), weight: make([]float32, len(b.phrases)),
		begin: make([]int32, len(ix.stems)+1), rarity: make([]float32, len(ix.stems)),
	}
	for _, f := range b.phrases {
		for _, s := range f.stems {
			p.begin[at[s]+1]++
		}
	}
	for i, n := range p.begin[1:] {
		// The words of one phrase are as rare as those of one rule.
		p.rarity[i] = float32(math.Log(1 + float64(len(b.phrases))/(float64(n)+float64(phraseCommon))))
		p.rarity[i] *= p.rarity[i]
		p.begin[i+1] += p.begin[i]
	}
	p.with = make([]int32, p.begin[len(ix.stems)])
	next := slices.Clone(p.begin)
	for i, f := range b.phrases {
		p.rule[i] = f.rule
		for _, s := range f.stems {
			p.with[next[at[s]]] = int32(i)
			next[at[s]]++
			p.weight[i] += p.rarity[at[s]]
		}
	}
	ix.phrases = p
}

// phraseScore is the score of a phrase for the current question.
type phraseScore struct {
	sum  float32
	last float32 // score of the word compared last
	word int32   // number of that word
}

// scorePhraseWord adds to each phrase the best score of any meaning of one word of the question.
func (ix *index) scorePhraseWord(s *scratch, list []expansion) {
	s.unit++
	p := &ix.phrases
	for _, e := range list {
		worth := e.weight * e.weight * p.rarity[e.stem]
		for _, i := range p.with[p.begin[e.stem]:p.begin[e.stem+1]] {
			f := &s.phrases[i]
			if f.sum == 0 {
				s.met = append(s.met, i)
			}
			if f.word != s.unit {
				f.word, f.last = s.unit, 0
			}
			if worth > f.last {
				f.sum += worth - f.last
				f.last = worth
			}
		}
	}
}

// scoreAsked adds to each rule the score of its phrase that is most similar to the question.
func (ix *index) scoreAsked(s *scratch, q *question) {
	whole := float32(0)
	for _, list := range q.lists {
		r := unknownWord
		if len(list) > 0 {
			r = ix.phrases.rarity[list[0].stem]
		}
		whole += r
	}
	s.touched = s.touched[:0]
	for _, i := range s.met {
		doc, sum := ix.phrases.rule[i], s.phrases[i].sum
		s.phrases[i] = phraseScore{}
		like := min(1, sum/float32(math.Sqrt(float64(ix.phrases.weight[i]*whole))))
		worth := phraseBonus * like * float32(math.Sqrt(float64(whole)))
		if s.word[doc] == 0 {
			s.touched = append(s.touched, doc)
		}
		s.word[doc] = max(s.word[doc], worth)
	}
	s.met = s.met[:0]
	s.unit = 0
	s.flush()
}
