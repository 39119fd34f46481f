// Package wordvectors embeds text with vectors of words that are part of the
// program: no key, no network, no model to load. English words have vectors of
// their own, German ones those of English words they stand for, by a lexicon; of a
// German compound the parts count. A word that neither knows, such as a name, gets
// a direction by chance, always the same. Frequent words count less.
//
// PROVENANCE.md says where the vectors are from.
package wordvectors

import (
	"context"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// name changes whenever the same text would yield another vector.
const name = "wordvectors-1"

// nameWeight is what a word counts for that has no vector, such as a name.
const nameWeight = 0.8

// Embedder makes the vector of a text from those of its words. It is safe for
// concurrent use.
type Embedder struct{}

// New returns an Embedder.
func New() *Embedder { return &Embedder{} }

// Name identifies the vectors.
func (*Embedder) Name() string { return name }

// Dimensions is the length of every vector.
func (*Embedder) Dimensions() int { return Dimensions }

// Embed returns one vector of length 1 for each text, or zeros where there is
// nothing to embed.
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
	if !known { // function words are all there is
		for _, word := range all {
			addByChance(&sum, word)
		}
	}
	return unit(&sum)
}

// AddTo adds to sum the vector of a folded word with its weight, and those of the other
// parts of a German compound. It reports whether the word has a vector.
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

// add adds a word with its weight.
func (w *Words) add(sum *[Dimensions]float32, id ID) {
	v, weight := w.vector(id), float32(w.Weight(id))/scale
	for i := range Dimensions {
		sum[i] += weight * float32(int8(v[i]))
	}
}

// addByChance adds a direction that depends on every byte of the word.
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

// unit scales a sum to length 1 unless nothing was added.
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
