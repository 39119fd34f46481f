// Package sentencevectors embeds text with a small transformer that is part of the
// program, the lite Universal Sentence Encoder for English: no key, no network. What
// sentences as a whole are near in comes first in a vector, in the directions in which
// English differs most; what their words are near in, from package wordvectors, comes
// after, for names and for German.
//
// On processors with AVX2 a sentence takes a few milliseconds, on others ten times that.
// PROVENANCE.md says where the weights are from.
package sentencevectors

import (
	"context"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

const (
	// name changes whenever the same text would yield another vector.
	name = "sentencevectors-1"
	// axes is how many directions of the encoder's vectors are kept: a quarter, which finds as
	// much.
	axes = 128
	// wordShare is how much the words count.
	wordShare = 0.1
)

// Embedder makes the vector of a text. It is safe for concurrent use.
type Embedder struct{ words *wordvectors.Embedder }

// New returns an Embedder.
func New() *Embedder { return &Embedder{wordvectors.New()} }

// Name identifies the vectors.
func (*Embedder) Name() string { return name }

// Dimensions is the length of every vector.
func (*Embedder) Dimensions() int { return axes + wordvectors.Dimensions }

// Embed returns one vector of length 1 for each text, or zeros where there is nothing to
// embed.
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

// scale gives a vector a length, of which this is the square, unless it has none.
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
