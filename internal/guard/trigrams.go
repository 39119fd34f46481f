package guard

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// trigramData names its own source.
//
//go:embed trigrams.txt
var trigramData string

// trigrams distinguish languages by their most common three-letter sequences.
type trigrams struct {
	byTag   map[string]int        // BCP 47 tags to indices in a row
	weights map[[3]rune][]float32 // log frequencies, one row per trigram
	absent  float32               // weight of trigrams that are not among the most common
}

// tagsOf maps the languages in the data to BCP 47 tags.
var tagsOf = map[string]string{
	"eng": "en", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "swe": "sv", "pol": "pl",
	"ces": "cs", "hrv": "hr", "hun": "hu", "ron": "ro", "tur": "tr", "lat": "la",
}

// sharedTrigrams are loaded when the first NPC is prepared.
var sharedTrigrams = sync.OnceValue(func() *trigrams {
	t := &trigrams{byTag: map[string]int{}, weights: map[[3]rune][]float32{}, absent: weightOfRank(870)}
	for line := range strings.Lines(trigramData) {
		language, list, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		at := len(t.byTag)
		t.byTag[tagsOf[language]] = at
		for rank, part := range strings.Split(list, "|") {
			key := [3]rune([]rune(part))
			for len(t.weights[key]) < len(tagsOf) {
				t.weights[key] = append(t.weights[key], t.absent)
			}
			t.weights[key][at] = weightOfRank(rank)
		}
	}
	return t
})

// weightOfRank returns the approximate log frequency of the trigram with the given rank.
func weightOfRank(rank int) float32 { return float32(-math.Log(float64(rank + 30))) }

// likelierElsewhere returns the difference of log-likelihoods between the best other language and the best of
// own.
func (t *trigrams) likelierElsewhere(text string, own []int) float32 {
	sums := make([]float32, len(t.byTag))
	key := [3]rune{0, 0, ' '}
	push := func(r rune) {
		key = [3]rune{key[1], key[2], r}
		if key[0] == 0 {
			return
		}
		row := t.weights[key]
		for i := range sums {
			if row == nil {
				sums[i] += t.absent
			} else {
				sums[i] += row[i]
			}
		}
	}
	for _, r := range text {
		if unicode.IsLetter(r) {
			push(unicode.ToLower(r))
		} else if key[2] != ' ' {
			push(' ')
		}
	}
	if key[2] != ' ' {
		push(' ')
	}
	here, elsewhere := float32(math.Inf(-1)), float32(math.Inf(-1))
	for i, sum := range sums {
		if slices.Contains(own, i) {
			here = max(here, sum)
		} else {
			elsewhere = max(elsewhere, sum)
		}
	}
	return elsewhere - here
}
