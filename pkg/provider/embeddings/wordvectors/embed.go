// Package wordvectors embeds texts with built-in word vectors. It needs no key, no network and no model.
// English words have their own vectors; German words have those of their English translations, by a lexicon,
// and German compounds those of their parts. A word that is in neither, such as a name, gets a pseudo-random
// direction, which is always the same. Frequent words weigh less.
//
//	vectors, err := wordvectors.New().Embed(ctx, []string{"The mill burned down."})
//
// PROVENANCE.md describes the origin of the vectors.
package wordvectors

import (
	"context"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// name has to change whenever the same text would yield a different vector.
const name = "wordvectors-1"

// nameWeight is the weight of a word without a vector, such as a name.
const nameWeight = 0.8

// Embedder computes the vector of a text from those of its words. It is safe for concurrent use.
type Embedder struct{}

// New returns an embedder.
func New() *Embedder { return &Embedder{} }

// Name identifies the vector space.
func (*Embedder) Name() string { return name }

// Dimensions returns the length of the vectors.
func (*Embedder) Dimensions() int { return Dimensions }

// Embed returns a unit vector for each text, or zeros for a text with nothing to embed.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	w := Load()
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = w.embed(text)
	}
	return out, nil
}

func (w *Words) embed(text string) []float32 {
	all := words.Split(text)
	german := words.German(all)
	var sum [Dimensions]float32
	known := false
	for _, word := range all {
		if words.Stop(word) || len(word) == 1 {
			continue
		}
		known = true
		if !w.AddTo(&sum, word, german) {
			addByChance(&sum, words.Stem(word, german))
		}
	}
	if !known { // the text contains only function words
		for _, word := range all {
			addByChance(&sum, word)
		}
	}
	return unit(&sum)
}

// AddTo adds to sum the weighted vector of a folded word, and those of the other parts of a German compound.
// It reports whether the word has a vector.
func (w *Words) AddTo(sum *[Dimensions]float32, word string, german bool) bool {
	id, parts := w.Find(word, german)
	for _, part := range parts[:max(0, len(parts)-1)] {
		w.add(sum, w.german.ids[part])
	}
	if id != 0 {
		w.add(sum, id)
	}
	return id != 0
}

// add adds the weighted vector of a word.
func (w *Words) add(sum *[Dimensions]float32, id ID) {
	v, weight := w.vector(id), float32(w.Weight(id))/scale
	for i := range Dimensions {
		sum[i] += weight * float32(int8(v[i]))
	}
}

// addByChance adds a pseudo-random direction derived from the word.
func addByChance(sum *[Dimensions]float32, word string) {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * prime
	}
	const part = nameWeight / 10 // 1/√Dimensions
	for i := range Dimensions {
		if i%64 == 0 {
			h ^= h >> 33
			h *= 0xff51afd7ed558ccd
			h ^= h >> 33
		}
		if h>>(i%64)&1 == 0 {
			sum[i] += part
		} else {
			sum[i] -= part
		}
	}
}

// unit scales sum to length 1 unless it is zero.
func unit(sum *[Dimensions]float32) []float32 {
	square := 0.0
	for _, x := range sum {
		square += float64(x) * float64(x)
	}
	out := make([]float32, Dimensions)
	if square > 0 {
		norm := math.Sqrt(square)
		for i, x := range sum {
			out[i] = float32(float64(x) / norm)
		}
	}
	return out
}
