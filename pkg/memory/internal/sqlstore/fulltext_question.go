package sqlstore

// Full text ranks texts by the words they share with a question. The code here decides which words of the
// question count, which texts to look at, and how each scores. It is the same for all stores, which only look
// up words.
//
// It does no I/O.

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// maxAsked is the maximum number of distinct words of a question that count.
	maxAsked = 6
	// minStem is the length in runes from which a word has a stem. Too many words begin like a shorter one.
	minStem = 4
	// minCutOff is the same limit for the last word of a question, which may be cut off.
	minCutOff = 3
	// stemShare is the weight of a word that shares only the stem.
	stemShare = 0.6
)

// The usual constants of BM25: saturation limits the effect of repeated words, normalisation that of a text's
// length.
const (
	saturation    = 1.2
	normalisation = 0.75
)

// Asked is a word of a question.
type Asked struct {
	Word string
	// Stem is the common beginning of related words. If it is empty, only the word itself matches.
	Stem string
	// idf is the weight, higher for rarer words. The search sets it.
	idf float64
}

// FullTextQuery is a question as a list of words.
type FullTextQuery []Asked

// parseFullText returns the distinct words of a text. It drops words without meaning, such as "the", unless
// there are no others.
func parseFullText(text string) FullTextQuery {
	all := words.Split(text)
	last := ""
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	var q FullTextQuery
	for _, w := range words.ContentWords(all, maxAsked) {
		q = append(q, Asked{Word: w, Stem: stem(w, w == last)})
	}
	return q
}

// stem removes the most common endings of English and German from a word. It can be rough, because it is only
// used to widen a search that found too little.
func stem(w string, last bool) string {
	n := utf8.RuneCountInString(w)
	for _, ending := range []string{"ing", "en", "er", "es", "em", "ed", "e", "n", "s"} {
		if n-len(ending) >= minStem && strings.HasSuffix(w, ending) {
			return w[:len(w)-len(ending)]
		}
	}
	if n >= minStem || last && n >= minCutOff {
		return w
	}
	return ""
}

// Score rates each text by BM25 over the words of the question.
func (q FullTextQuery) Score(texts []string) []float64 {
	split := make([][]string, len(texts))
	total := 0
	for i, t := range texts {
		split[i] = words.Split(t)
		total += len(split[i])
	}
	average := max(1, float64(total)/float64(max(1, len(texts))))
	out := make([]float64, len(texts))
	for i, ws := range split {
		damping := saturation * (1 - normalisation + normalisation*float64(len(ws))/average)
		for _, a := range q {
			if tf := a.frequency(ws); tf > 0 {
				out[i] += a.idf * tf * (saturation + 1) / (tf + damping)
			}
		}
	}
	return out
}

// MaxScore returns an upper bound of the scores.
func (q FullTextQuery) MaxScore() float64 {
	sum := 0.0
	for _, a := range q {
		sum += a.idf * (saturation + 1)
	}
	return sum
}

func (a Asked) frequency(ws []string) float64 {
	tf := 0.0
	for _, w := range ws {
		switch {
		case w == a.Word:
			tf++
		case a.Stem != "" && strings.HasPrefix(w, a.Stem):
			tf += stemShare
		}
	}
	return tf
}

// rarity returns the weight of a word that df of n texts contain.
func rarity(df, n float64) float64 {
	return math.Log1p((max(n, df) - df + 0.5) / (df + 0.5))
}
