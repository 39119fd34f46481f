package simulate

import (
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// fine is the number of parts of an octave: values are exact to 3 %, and
	// fully below fineBelow microseconds.
	fineBits  = 5
	fine      = 1 << fineBits
	fineBelow = 2 * fine
	// octaves covers more than an hour.
	octaves = 27
	buckets = fineBelow + octaves*fine
)

// histogram counts durations in buckets that grow with the value. Its zero
// value is empty; it is safe for concurrent use, and record does not allocate.
type histogram struct {
	counts [buckets]atomic.Uint64
	most   atomic.Int64 // microseconds
}

// bucket returns the bucket of v microseconds.
func bucket(v uint64) int {
	if v < fineBelow {
		return int(v)
	}
	octave := bits.Len64(v) - fineBits - 1 // from 1
	return min(fineBelow+(octave-1)*fine+int(v>>octave)-fine, buckets-1)
}

// upper returns the largest value, in microseconds, of bucket i.
func upper(i int) uint64 {
	if i < fineBelow {
		return uint64(i)
	}
	octave := (i-fineBelow)/fine + 1
	return uint64((i-fineBelow)%fine+fine+1)<<octave - 1
}

// addDuration counts d; a negative d counts as zero.
func (h *histogram) addDuration(d time.Duration) {
	v := max(d.Microseconds(), 0)
	h.counts[bucket(uint64(v))].Add(1)
	for {
		old := h.most.Load()
		if v <= old || h.most.CompareAndSwap(old, v) {
			return
		}
	}
}

// distribution returns the counts so far.
func (h *histogram) distribution() distribution {
	d := distribution{counts: make([]uint64, buckets), most: h.most.Load()}
	for i := range h.counts {
		n := h.counts[i].Load()
		d.counts[i] = n
		d.total += n
	}
	return d
}

// distribution is a snapshot of a histogram.
type distribution struct {
	counts []uint64
	total  uint64
	most   int64 // microseconds
}

// since returns the counts added after an earlier snapshot of the same
// histogram.
func (d distribution) since(earlier distribution) distribution {
	out := distribution{counts: make([]uint64, buckets)}
	for i, n := range d.counts {
		if i < len(earlier.counts) {
			n -= earlier.counts[i]
		}
		out.counts[i] = n
		out.total += n
		if n > 0 {
			out.most = min(int64(upper(i)), d.most)
		}
	}
	return out
}

// quantile returns the value, in milliseconds, that the share q of all values
// does not exceed, or 0 without values.
func (d distribution) quantile(q float64) float64 {
	if d.total == 0 {
		return 0
	}
	rank := uint64(q * float64(d.total))
	if float64(rank) < q*float64(d.total) {
		rank++
	}
	rank = max(rank, 1)
	var seen uint64
	for i, n := range d.counts {
		if seen += n; seen >= rank {
			return float64(min(int64(upper(i)), d.most)) / 1000
		}
	}
	return d.max()
}

// max returns the greatest value in milliseconds.
func (d distribution) max() float64 { return float64(d.most) / 1000 }

// above returns the number of values above v, to the bucket's width.
func (d distribution) above(v time.Duration) uint64 {
	var n uint64
	for _, c := range d.counts[bucket(uint64(v.Microseconds()))+1:] {
		n += c
	}
	return n
}
