package wordvectors

import (
	_ "embed"
	"math"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// german is written by hand: German words and their English translations.
//
//go:embed german.txt
var german string

// lexicon holds German words with the vectors of their English translations.
type lexicon struct {
	ids     map[string]ID // by stem
	vectors []string
	ranks   []int
}

func readLexicon(t *table) lexicon {
	l := lexicon{ids: make(map[string]ID, 8192)}
	for line := range strings.Lines(german) {
		word, meanings, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		vector, rank := meanOf(t, strings.Fields(meanings))
		if vector == "" {
			continue
		}
		l.vectors = append(l.vectors, vector)
		l.ranks = append(l.ranks, rank)
		for w := range strings.FieldsSeq(word) {
			stem := stemGerman(words.Key(w))
			if _, there := l.ids[stem]; !there {
				l.ids[stem] = ID(t.words + len(l.vectors))
			}
		}
	}
	return l
}

// meanOf returns the mean direction of some English words, and the rank of the most frequent one.
func meanOf(t *table, meanings []string) (vector string, rank int) {
	rank = t.words
	var sum [Dimensions]int
	for _, m := range meanings {
		i := t.findInflected(m)
		if i < 0 {
			continue
		}
		rank = min(rank, t.rank(i))
		v := t.vector(i)
		for j := range Dimensions {
			sum[j] += int(int8(v[j]))
		}
	}
	return packed(sum[:]), rank
}

// shortest is the minimum length in bytes of a part of a compound.
const shortest = 3

// find returns the ID of a word. A compound that is not listed has the ID of its last part, as long as
// possible; parts are the stems of both parts.
func (l *lexicon) find(word string) (ID, []string) {
	if id := l.ids[stemGerman(word)]; id != 0 {
		return id, nil
	}
	for i := shortest; i <= len(word)-shortest; i++ {
		id := l.ids[stemGerman(word[i:])]
		if id == 0 {
			continue
		}
		for _, link := range []string{"", "s", "n", "en", "es", "er", "e"} {
			first, ok := strings.CutSuffix(word[:i], link)
			if !ok || len(first) < shortest {
				continue
			}
			stem := stemGerman(first)
			if l.ids[stem] != 0 {
				return id, []string{stem, stemGerman(word[i:])}
			}
		}
	}
	return 0, nil
}

// packed quantises a vector scaled to the common length, or returns "" if it is zero.
func packed(sum []int) string {
	square := 0.0
	for _, x := range sum {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return ""
	}
	norm := scale / math.Sqrt(square)
	out := make([]byte, len(sum))
	for i, x := range sum {
		out[i] = byte(int8(math.Round(min(127, max(-127, float64(x)*norm)))))
	}
	return string(out)
}
