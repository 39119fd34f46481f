package recall

import (
	"cmp"
	"math"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// vector is the embedding of a line, quantised to one byte per component.
type vector struct {
	parts []int8
	step  float32 // value of one unit of parts
}

func newVector(v []float32) vector {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	if most == 0 {
		return vector{}
	}
	out := vector{make([]int8, len(v)), most / math.MaxInt8}
	for i, x := range v {
		out.parts[i] = int8(math.Round(float64(x / out.step)))
	}
	return out
}

// times returns the dot product with a vector of the same length.
func (v *vector) times(w *vector) float32 {
	return float32(embeddings.DotBytes(v.parts, w.parts)) * v.step * w.step
}

// SetVector sets the embedding of a line, a unit vector.
func (x *Index) SetVector(id int64, v []float32) {
	i, ok := slices.BinarySearchFunc(x.lines, id, func(l line, id int64) int { return cmp.Compare(l.id, id) })
	if ok {
		x.lines[i].vector = newVector(v)
	}
}

// WithoutVector returns the IDs of at most most lines without a vector and with an ID below before, newest
// first.
func (x *Index) WithoutVector(before int64, most int) []int64 {
	var out []int64
	for i := len(x.lines) - 1; i >= 0 && len(out) < most; i-- {
		if l := &x.lines[i]; l.id < before && l.vector.parts == nil {
			out = append(out, l.id)
		}
	}
	return out
}

// near returns the similarity of each line to the question as a whole, relative to the mean; all 0 without
// vectors.
func (x *Index) near(asked []float32, seen []int) []float32 {
	out := make([]float32, len(seen))
	q := newVector(asked)
	if q.parts == nil {
		return out
	}
	sum, n := float32(0), 0
	for k, i := range seen {
		if v := &x.lines[i].vector; len(v.parts) == len(q.parts) {
			out[k] = v.times(&q)
			sum += out[k]
			n++
		}
	}
	mean := sum / float32(max(1, n))
	for k, i := range seen {
		if len(x.lines[i].vector.parts) == len(q.parts) {
			out[k] -= mean
		}
	}
	return out
}

// nearby returns the similarity of a line plus a share of the most similar neighbour in its session.
func (x *Index) nearby(near []float32, seen []int, k int) float64 {
	beside, session := float32(0), x.lines[seen[k]].session
	for n := max(0, k-2); n <= min(k+2, len(seen)-1); n++ {
		if n == k || x.lines[seen[n]].session != session {
			continue
		}
		share := float32(nearNext)
		if n == k-2 || n == k+2 {
			share = nearSecond
		}
		beside = max(beside, share*near[n])
	}
	return float64(near[k] + beside)
}
