package wordvectors

import (
	"math"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// scale is the length of a vector in english.
const scale = 254

// ID is a word with a vector, 0 is none.
type ID int32

// Words are the words that have a vector. They are safe for concurrent use.
type Words struct {
	english table
	german  lexicon
}

// Load returns the words. The first call reads the lexicon, which takes a few
// milliseconds.
var Load = sync.OnceValue(func() *Words {
	w := &Words{english: readTable(english)}
	w.german = readLexicon(&w.english)
	return w
})

// Find returns the id of a folded word, 0 if it has no vector. For a German
// compound that is the id of its last part, and parts are the stems of both.
func (w *Words) Find(word string, german bool) (id ID, parts []string) {
	if german {
		return w.german.find(word)
	}
	if i := w.english.findInflected(word); i >= 0 {
		return ID(i + 1), nil
	}
	return w.german.ids[stemGerman(word)], nil
}

func (w *Words) vector(id ID) string {
	if n := w.english.words; int(id) > n {
		return w.german.vectors[int(id)-n-1]
	}
	return w.english.vector(int(id) - 1)
}

// rank is how many English words are more frequent.
func (w *Words) rank(id ID) int {
	if n := w.english.words; int(id) > n {
		return w.german.ranks[int(id)-n-1]
	}
	return w.english.rank(int(id) - 1)
}

// Similar is the cosine between two words.
func (w *Words) Similar(a, b ID) float64 {
	return float64(dot(w.vector(a), w.vector(b))) / (scale * scale)
}

// Weight is how much a word counts among others, up to 1: little if it is frequent.
func (w *Words) Weight(id ID) float64 {
	const rare = 1e-3
	// How often a word of a rank is used, by Zipf's law.
	often := 0.08 / (float64(w.rank(id)) + 2.7)
	return math.Sqrt(rare / (rare + often))
}

// stemGerman is the key of a German word in the lexicon.
func stemGerman(word string) string { return words.Stem(word, true) }
