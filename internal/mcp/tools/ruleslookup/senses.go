package ruleslookup

import "strings"

// senses lists the stems that a word of the query may mean, best first: the word itself, corrections of its
// spelling, and synonyms from the vocabulary.
func (ix *index) senses(q *question, w word, last bool) []expansion {
	_, known := ix.position[w.stem]
	var out []expansion
	if q.german {
		out = ix.germanSenses(out, w)
	}
	english := ix.senseStems(nil, ix.vocabulary.english[w.stem], synonymous)
	if known || len(out) == 0 && len(english) == 0 {
		out = append(out, ix.expand(w, last)...)
	}
	if !q.german && !known && len(out) == 0 {
		out = ix.germanSenses(out, w)
	}
	return best(append(out, english...))
}

// germanSenses adds the meanings of a German word, and other forms of the same word.
func (ix *index) germanSenses(out []expansion, w word) []expansion {
	stem := germanStem(w.raw)
	out = ix.senseStems(out, ix.vocabulary.german[stem], translated)
	if at, ok := ix.position[germanMark+stem]; ok {
		out = append(out, expansion{at, inflected})
	}
	return out
}

// senseStems adds the senses that consist of one word.
func (ix *index) senseStems(out []expansion, senses []sense, weight float32) []expansion {
	for _, s := range senses {
		if len(s) != 1 {
			continue
		}
		if at, ok := ix.position[s[0]]; ok {
			out = append(out, expansion{at, weight})
		}
	}
	return out
}

// scorePhrases scores the meanings that the vocabulary gives for phrases of the query, and for words that
// stand for several words.
func (ix *index) scorePhrases(s *scratch, q *question) {
	stems := make([]string, len(q.all))
	for _, german := range [...]bool{false, true} {
		if german && !q.german {
			continue
		}
		known := ix.vocabulary.english
		for i, w := range q.all {
			stems[i] = w.stem
			if german {
				known, stems[i] = ix.vocabulary.german, germanStem(w.raw)
			}
		}
		for from := range stems {
			if q.thing && asksFigure(q.all[from].raw) {
				continue
			}
			for to := min(len(stems), from+longestPhrase); to > from; to-- {
				senses := known[strings.Join(stems[from:to], " ")]
				for _, sense := range senses {
					if len(sense) > 1 || to-from > 1 {
						ix.scoreSense(s, q, sense)
					}
				}
				if len(senses) > 0 && to-from > 1 {
					break
				}
			}
		}
	}
}

// scoreSense scores the words of a sense together.
func (ix *index) scoreSense(s *scratch, q *question, words sense) {
	var meant []meaning
	for _, stem := range words {
		if at, ok := ix.position[stem]; ok {
			ix.scoreWord(s, []expansion{{at, phraseWeight}})
			meant = append(meant, meaning{stem, ix.idf[at] * phraseWeight})
		}
	}
	if len(meant) == len(words) {
		q.other = append(q.other, meant)
	}
}

// scoreCompound scores the meanings of the parts of a German compound, and looks for a name that consists of
// them.
func (ix *index) scoreCompound(s *scratch, q *question, w word) {
	if _, whole := ix.vocabulary.german[germanStem(w.raw)]; whole || len(w.raw) < 7 {
		return
	}
	parts, ok := ix.vocabulary.compound(w.raw)
	if !ok {
		return
	}
	titles := [][]meaning{nil}
	for _, senses := range parts {
		list := best(ix.senseStems(nil, senses, partOf))
		ix.scoreWord(s, list)
		var longer [][]meaning
		for _, e := range list[:min(len(list), 3)] {
			for _, t := range titles {
				longer = append(longer, append(t[:len(t):len(t)], meaning{ix.stems[e.stem], ix.idf[e.stem]}))
			}
		}
		if len(longer) == 0 {
			return
		}
		titles = longer[:min(len(longer), 9)]
	}
	q.other = append(q.other, titles...)
}
