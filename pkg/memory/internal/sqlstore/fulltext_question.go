package sqlstore

// Full text ranks texts by the words they share with a question: which words of
// it count, which texts are worth a look, and how much each answers. Stores look up
// words; what the words are worth is decided here, the same for all of them.
//
// It does no I/O.

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// maxAsked bounds how many different words of a question count.
	maxAsked = 6
	// minStem is the length in runes below which a word has no stem: too many
	// words begin like it.
	minStem = 4
	// minCutOff is the same for a question's last word, which may be cut off.
	minCutOff = 3
	// stemShare is what a word that only shares the stem counts for.
	stemShare = 0.6
)

// The usual constants of BM25: how soon repetition stops to count, and how
// much length does.
const (
	saturation    = 1.2
	normalisation = 0.75
)

// Asked is a word of a question.
type Asked struct {
	Word string
	// Stem is what related words begin with; empty if the word stands for
	// itself alone.
	Stem string
	// idf is the weight, higher for rarer words; the search fills it in.
	idf float64
}

// FullTextQuery is what a text is searched for.
type FullTextQuery []Asked

// parseFullText makes a question of free text: its different words, or those that mean
// something if there are any.
func parseFullText(text string) FullTextQuery {
	all := words.Split(text)
	last := ""
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	var q FullTextQuery
	for _, w := range words.Telling(all, maxAsked) {
		q = append(q, Asked{Word: w, Stem: stem(w, w == last)})
	}
	return q
}

// stem cuts the commonest endings of English and German off a word. It is
// rough on purpose: it only widens a search that found too little.
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

// Score rates each text by BM25 over the words asked for.
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

// MaxScore is a score no text exceeds.
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

// rarity is the weight of a word that df of n texts contain.
func rarity(df, n float64) float64 {
	return math.Log1p((max(n, df) - df + 0.5) / (df + 0.5))
}
