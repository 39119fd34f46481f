package guard

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// trigramData says where it is from.
//
//go:embed trigrams.txt
var trigramData string

// trigrams tell languages apart by which three letters are common in them.
type trigrams struct {
	byTag   map[string]int        // BCP 47 tags, to the places in a row
	weights map[[3]rune][]float32 // logarithms of how common each is, a row each
	absent  float32               // for those not among the commonest
}

// tagsOf are the BCP 47 tags of the languages in the data.
var tagsOf = map[string]string{
	"eng": "en", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "swe": "sv", "pol": "pl",
	"ces": "cs", "hrv": "hr", "hun": "hu", "ron": "ro", "tur": "tr", "lat": "la",
}

// sharedTrigrams are read when the first NPC is made ready.
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

// weightOfRank is about the logarithm of how common the trigram of a rank is.
func weightOfRank(rank int) float32 { return float32(-math.Log(float64(rank + 30))) }

// likelierElsewhere is how much likelier, as a logarithm, a text is in the best of the other
// languages than in the best of its own.
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
