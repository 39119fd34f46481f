// Package hashing embeds text without a model, a key or a network: it hashes
// words, word pairs and pieces of words into a fixed number of dimensions.
// Texts that share words or word stems lie close together; synonyms do not.
//
// It does no I/O and
// starts no goroutine.
package hashing

import (
	"context"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Dimensions is the length of a vector.
const Dimensions = 256

// name changes whenever the same text would yield another vector.
const name = "hashing-256-v1"

// Weights of the features. A word's pieces together weigh less than the word,
// so that a shared stem helps and does not decide.
const (
	wordWeight  = 1.0
	stopWeight  = 0.1
	pairWeight  = 0.4
	gramsWeight = 0.9
	minGram     = 3
	maxGram     = 5
)

// Embedder is a feature-hashing embedder. Its zero value is ready to use and
// safe for concurrent use.
type Embedder struct{}

// New returns an embedder.
func New() *Embedder { return &Embedder{} }

// Name identifies the vector space.
func (*Embedder) Name() string { return name }

// Dimensions is the length of every vector.
func (*Embedder) Dimensions() int { return Dimensions }

// Embed returns one vector of length 1 per text. A text without a letter or a
// digit yields the zero vector, which is near to nothing.
func (*Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, embed(t))
	}
	return out, nil
}

func embed(text string) []float32 {
	var v vector
	seen := make(map[string]int)
	prev := ""
	for _, w := range words.Split(text) {
		// The k-th time a word occurs adds sqrt(k)-sqrt(k-1): a refrain does
		// not drown the rest.
		k := float64(seen[w])
		seen[w]++
		fresh := math.Sqrt(k+1) - math.Sqrt(k)
		if words.Stop(w) {
			v.add('w', w, stopWeight*fresh)
			prev = ""
			continue
		}
		v.add('w', w, wordWeight*fresh)
		v.addGrams(w, gramsWeight*fresh)
		if prev != "" {
			v.add('p', prev+" "+w, pairWeight)
		}
		prev = w
	}
	return v.unit()
}

// vector sums features; the order of additions is that of the text, which
// makes the result the same to the last bit.
type vector [Dimensions]float64

// add counts one feature. The hash picks dimension and sign, so that
// collisions cancel out on average.
func (v *vector) add(kind byte, feature string, weight float64) {
	h := hash(kind, feature)
	if h>>63 == 1 {
		weight = -weight
	}
	v[h%Dimensions] += weight
}

// addGrams adds the word's pieces, which share the weight as one vector of
// that length. The word is framed, so that its beginning and end count as such.
func (v *vector) addGrams(word string, weight float64) {
	framed := []rune("^" + word + "$")
	total := 0
	for size := minGram; size <= maxGram; size++ {
		total += max(0, len(framed)-size+1)
	}
	if total == 0 {
		return
	}
	weight /= math.Sqrt(float64(total))
	for size := minGram; size <= maxGram; size++ {
		for i := 0; i+size <= len(framed); i++ {
			v.add('g', string(framed[i:i+size]), weight)
		}
	}
}

// unit returns the sum scaled to length 1, or zeros if nothing was added.
func (v *vector) unit() []float32 {
	out := make([]float32, Dimensions)
	var square float64
	for _, x := range v {
		square += x * x
	}
	if square == 0 {
		return out
	}
	norm := math.Sqrt(square)
	for i, x := range v {
		out[i] = float32(x / norm)
	}
	return out
}

// hash is FNV-1a over kind and feature, finished so that low and high bits
// depend on every input bit.
func hash(kind byte, feature string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	h = (h ^ uint64(kind)) * prime
	for i := range len(feature) {
		h = (h ^ uint64(feature[i])) * prime
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return h
}
