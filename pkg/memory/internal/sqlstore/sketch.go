package sqlstore

// A sketch finds, among very many vectors, those that are probably nearest to a given one: first by the signs
// of their rotated components, then by these components in one byte each. The caller compares the results
// exactly.
//
// It does no I/O.

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// fineDimensions is the vector length up to which the sketch also keeps components as bytes. For longer
// vectors the signs are sufficient, and the bytes would use too much memory.
const fineDimensions = 256

// coarseShare is the number of vectors compared by bytes for each result, and leastCoarse their minimum
// number.
const (
	coarseShare = 16
	leastCoarse = 8192
)

// Sketch holds vectors of one length. It is not safe for concurrent use.
type Sketch struct {
	dimensions, padded, words int
	signs                     []float32 // sign of each component before mixing
	ids                       []int64
	coarse                    []uint64 // sign bits, several words per id
	fine                      []int8   // padded components per id, if kept
	apart                     []uint16 // scratch space for one search
}

// NewSketch returns an empty sketch.
func NewSketch(dimensions int) *Sketch {
	s := &Sketch{dimensions: dimensions, padded: 64}
	for s.padded < dimensions {
		s.padded *= 2
	}
	s.words = s.padded / 64
	s.signs = make([]float32, dimensions)
	h := uint64(14695981039346656037)
	for i := range s.signs {
		h ^= h >> 33
		h = h*0xff51afd7ed558ccd + uint64(i)
		s.signs[i] = 1
		if h>>63 == 1 {
			s.signs[i] = -1
		}
	}
	return s
}

// Len returns the number of vectors.
func (s *Sketch) Len() int { return len(s.ids) }

// Add adds a vector of length 1.
func (s *Sketch) Add(id int64, v []float32) {
	s.ids = append(s.ids, id)
	mixed := s.mix(v)
	s.coarse = append(s.coarse, signsOf(mixed)...)
	if s.dimensions <= fineDimensions {
		s.fine = append(s.fine, bytesOf(mixed)...)
	}
}

// Nearest returns the ids of up to n vectors that are probably nearest, nearest first.
func (s *Sketch) Nearest(v []float32, n int) []int64 {
	if len(v) != s.dimensions || n <= 0 {
		return nil
	}
	mixed := s.mix(v)
	if s.fine == nil {
		return s.idsOf(s.alike(signsOf(mixed), n))
	}
	near := s.alike(signsOf(mixed), max(leastCoarse, coarseShare*n))
	asked := bytesOf(mixed)
	type rated struct {
		place   int
		product int32
	}
	all := make([]rated, len(near))
	for i, p := range near {
		all[i] = rated{p, embeddings.DotBytes(asked, s.fine[p*s.padded:(p+1)*s.padded])}
	}
	slices.SortFunc(all, func(a, b rated) int { return cmp.Or(cmp.Compare(b.product, a.product), a.place-b.place) })
	near = near[:min(n, len(near))]
	for i := range near {
		near[i] = all[i].place
	}
	return s.idsOf(near)
}

func (s *Sketch) idsOf(places []int) []int64 {
	out := make([]int64, len(places))
	for i, p := range places {
		out[i] = s.ids[p]
	}
	return out
}

// alike returns the positions of the n vectors with the most signs in common, most similar first.
func (s *Sketch) alike(asked []uint64, n int) []int {
	s.apart = slices.Grow(s.apart[:0], len(s.ids))[:len(s.ids)]
	apart := s.apart
	counts := make([]int, s.padded+1)
	for i := range apart {
		d := 0
		for w, x := range s.coarse[i*s.words : (i+1)*s.words] {
			d += bits.OnesCount64(x ^ asked[w])
		}
		apart[i] = uint16(d)
		counts[d]++
	}
	// starts[d] is where the vectors at distance d begin in the result.
	starts, sum := make([]int, len(counts)), 0
	for d, c := range counts {
		starts[d] = sum
		sum += c
	}
	out := make([]int, min(n, len(apart)))
	for i, d := range apart {
		if at := starts[d]; at < len(out) {
			out[at] = i
		}
		starts[d]++
	}
	return out
}

// mix rotates a vector so that its information is spread over all components. It keeps angles, and scales all
// lengths by the same factor.
func (s *Sketch) mix(v []float32) []float32 {
	out := make([]float32, s.padded)
	for i, x := range v {
		out[i] = x * s.signs[i]
	}
	for step := 1; step < len(out); step *= 2 {
		for i := 0; i < len(out); i += 2 * step {
			for j := i; j < i+step; j++ {
				a, b := out[j], out[j+step]
				out[j], out[j+step] = a+b, a-b
			}
		}
	}
	return out
}

func signsOf(mixed []float32) []uint64 {
	out := make([]uint64, len(mixed)/64)
	for i, x := range mixed {
		if x > 0 {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// bytesOf scales mixed components, which have a mean square of 1, to bytes.
func bytesOf(mixed []float32) []int8 {
	out := make([]int8, len(mixed))
	for i, x := range mixed {
		out[i] = int8(max(-127, min(127, math.Round(float64(x)*30))))
	}
	return out
}
