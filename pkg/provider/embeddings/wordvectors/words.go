package wordvectors

import (
	"math"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// scale is the length of the vectors in english.
const scale = 254

// ID identifies a word with a vector; 0 means none.
type ID int32

// Words holds the words with vectors. It is safe for concurrent use.
type Words struct {
	english table
	german  lexicon
}

// Load returns the words. The first call reads the lexicon, which takes a few milliseconds.
var Load = sync.OnceValue(func() *Words {
	w := &Words{english: readTable(english)}
	w.german = readLexicon(&w.english)
	return w
})

// Find returns the ID of a folded word, or 0 if it has no vector. For a German compound it is the ID of the
// last part, and parts are the stems of both parts.
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

// rank returns the number of English words that are more frequent.
func (w *Words) rank(id ID) int {
	if n := w.english.words; int(id) > n {
		return w.german.ranks[int(id)-n-1]
	}
	return w.english.rank(int(id) - 1)
}

// Similar returns the cosine similarity of two words.
func (w *Words) Similar(a, b ID) float64 {
	return float64(dot(w.vector(a), w.vector(b))) / (scale * scale)
}

// Weight returns the weight of a word among others, at most 1; frequent words weigh less.
func (w *Words) Weight(id ID) float64 {
	const rare = 1e-3
	// The frequency of a word by its rank, according to Zipf's law.
	often := 0.08 / (float64(w.rank(id)) + 2.7)
	return math.Sqrt(rare / (rare + often))
}

// stemGerman returns the key of a German word in the lexicon.
func stemGerman(word string) string { return words.Stem(word, true) }
