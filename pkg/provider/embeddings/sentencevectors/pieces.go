package sentencevectors

import (
	"math"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// Piece is a piece of a word, of those that the encoder cuts text into: a short word, or what
// longer ones have in common, in any language.
type Piece uint16

// Pieces cuts a text and leaves out marks. What is beyond the length that the encoder reads does
// not count.
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

// Likeness is how near two pieces are by what they mean without the text around them, as the encoder
// has learned it: 1 if they are the same, about 0 if they have nothing in common.
func Likeness(a, b Piece) float32 {
	m := load()
	return float32(embeddings.DotBytes(m.vector(a), m.vector(b))) / (m.lengths[a] * m.lengths[b])
}

func (m *model) vector(p Piece) []int8 { return m.pieces.weights[int(p)*narrow:][:narrow] }

// lengths are those of the rows of a matrix, of which none is empty.
func lengths(m *matrix) []float32 {
	out := make([]float32, m.out)
	for i := range out {
		row := m.weights[i*m.in:][:m.in]
		out[i] = float32(math.Sqrt(float64(max(1, embeddings.DotBytes(row, row)))))
	}
	return out
}
