package sentencevectors

import (
	"math"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// Piece is one of the subwords into which the encoder splits text: a short word, or a part that longer words
// share, in any language.
type Piece uint16

// Pieces splits a text, without punctuation. It ignores what exceeds the encoder's maximum length.
func Pieces(text string) []Piece {
	m := load()
	tokens := m.cut(text)
	out := make([]Piece, 0, len(tokens))
	for _, token := range tokens {
		if m.spoken[token] {
			out = append(out, Piece(token))
		}
	}
	return out
}

func isSpoken(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// Likeness returns the learnt similarity of two pieces without context: 1 for the same piece, about 0 for
// unrelated ones.
func Likeness(a, b Piece) float32 {
	m := load()
	return float32(embeddings.DotBytes(m.vector(a), m.vector(b))) / (m.lengths[a] * m.lengths[b])
}

func (m *model) vector(p Piece) []int8 { return m.pieces.weights[int(p)*narrow:][:narrow] }

// lengths returns the lengths of the rows of a matrix, at least 1.
func lengths(m *matrix) []float32 {
	out := make([]float32, m.out)
	for i := range out {
		row := m.weights[i*m.in:][:m.in]
		out[i] = float32(math.Sqrt(float64(max(1, embeddings.DotBytes(row, row)))))
	}
	return out
}
