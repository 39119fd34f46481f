// Package sentencevectors embeds texts with a small built-in transformer, the lite Universal Sentence Encoder
// for English. It needs no key and no network. The first part of a vector represents the sentence as a whole,
// reduced to the directions in which English sentences vary most. The second part represents the words, by
// package wordvectors, for names and for German.
//
//	vectors, err := sentencevectors.New().Embed(ctx, []string{"The mill burned down."})
//
// A sentence takes a few milliseconds on processors with AVX2, and ten times as long on others. PROVENANCE.md
// describes the origin of the weights.
package sentencevectors

import (
	"context"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

const (
	// name has to change whenever the same text would yield a different vector.
	name = "sentencevectors-1"
	// axes is the number of directions of the encoder's vectors to keep: a quarter of them, which finds as
	// much as all.
	axes = 128
	// wordShare is the weight of the words.
	wordShare = 0.1
)

// Embedder embeds texts. It is safe for concurrent use.
type Embedder struct{ words *wordvectors.Embedder }

// New returns an embedder.
func New() *Embedder { return &Embedder{wordvectors.New()} }

// Name identifies the vector space.
func (*Embedder) Name() string { return name }

// Dimensions returns the length of the vectors.
func (*Embedder) Dimensions() int { return axes + wordvectors.Dimensions }

// Embed returns a unit vector for each text, or zeros for a text with nothing to embed.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	words, err := e.words.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	m := load()
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = make([]float32, axes, axes+wordvectors.Dimensions)
		if v := m.encode(text); v != nil {
			copy(out[i], m.axes.of(v))
			scale(out[i], 1-wordShare)
		}
		scale(words[i], wordShare)
		out[i] = append(out[i], words[i]...)
		scale(out[i], 1)
	}
	return out, nil
}

// scale scales a vector to the given squared length, unless it is zero.
func scale(v []float32, square float64) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	by := float32(math.Sqrt(square / sum))
	for i := range v {
		v[i] *= by
	}
}
