package sentencevectors

import (
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// english is written by make.go, which describes the format.
//
//go:embed english.bin
var english string

// directions is written by TestAxes, in the format of a matrix.
//
//go:embed axes.bin
var directions string

const (
	narrow    = 256  // length of a piece's vector
	wide      = 512  // length of a sentence's vector
	inner     = 1536 // between the two halves of a layer
	headCount = 4
)

// layer is a transformer layer: attention and feed-forward network.
type layer struct {
	attend, think       scaling
	keys, mixed, up, to matrix
}

// scaling is a layer normalisation.
type scaling struct{ scale, bias []float32 }

// model is the content of english.
type model struct {
	vocabulary
	pieces  matrix    // of narrow bytes each
	lengths []float32 // of the pieces, in steps
	timing  []float32
	widen   matrix
	layers  [2]layer
	outcome matrix
	axes    matrix
}

// load reads the pieces on first use. The weights stay in the program's file.
var load = sync.OnceValue(func() *model {
	r := &reader{english}
	m := &model{}
	n := int(r.uint32())
	m.places, m.scores, m.spoken = make(map[string]int32, n), make([]float32, n), make([]bool, n)
	for i := range n {
		text := r.take(int(r.take(1)[0]))
		m.scores[i] = r.floats(1)[0]
		if i >= reserved {
			m.places[text] = int32(i)
			m.spoken[i] = strings.ContainsFunc(text, isSpoken)
			m.longest = max(m.longest, len(text))
		}
	}
	const special = 2 // pieces known only to the model
	m.pieces = r.rows(narrow, n+special)
	m.lengths = lengths(&m.pieces)
	m.timing = r.floats(narrow / 2)
	for i, width := range []int{narrow, wide} {
		l := &m.layers[i]
		l.attend = scaling{r.floats(width), r.floats(width)}
		if i == 0 {
			m.widen = r.matrix(narrow, wide)
		}
		l.keys = r.matrix(width, 3*width)
		l.mixed = r.matrix(width, wide)
		l.think = scaling{r.floats(wide), r.floats(wide)}
		l.up = r.matrix(wide, inner)
		l.to = r.matrix(inner, wide)
	}
	m.outcome = r.matrix(wide, wide)
	m.axes = (&reader{directions}).matrix(wide, axes)
	return m
})

type reader struct{ rest string }

func (r *reader) take(n int) string {
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32([]byte(r.take(4))) }

func (r *reader) floats(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(r.uint32())
	}
	return out
}

func (r *reader) rows(in, out int) matrix {
	return matrix{in: in, out: out, steps: r.floats(out), weights: embeddings.Bytes(r.take(in * out))}
}

func (r *reader) matrix(in, out int) matrix {
	m := r.rows(in, out)
	m.bias = r.floats(out)
	return m
}
