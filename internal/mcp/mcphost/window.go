package mcphost

import (
	"math"
	"sync"
	"time"
)

// windowSize is the number of recent calls by which a tool is judged.
const windowSize = 100

// failedBit marks a failed call; the other bits hold its duration in microseconds.
const failedBit = 1 << 31

// Measure summarises the calls of a tool's window.
type Measure struct {
	// P50 and P99 are nearest-rank percentiles of the successful calls; zero if there are none.
	P50, P99 time.Duration
	// ErrorRate is the share of failed calls, 0 to 1.
	ErrorRate float64
	// Samples counts the calls in the window, Successes the successful ones.
	Samples, Successes int
}

// window records the last 100 calls of a tool with their outcomes. It also keeps the successful durations
// sorted, so that a percentile is a look-up. It is safe for concurrent use, and record and measure do not
// allocate.
type window struct {
	mu     sync.Mutex // guards the fields below
	ring   [windowSize]uint32
	sorted [windowSize]uint32 // successful durations, ascending
	used   int                // slots in use
	next   int                // slot written next
	good   int                // length of sorted
}

// record adds a call and returns the updated measure.
func (w *window) record(d time.Duration, ok bool) Measure {
	us := uint32(min(max(d.Microseconds(), 0), math.MaxInt32))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used == windowSize {
		if old := w.ring[w.next]; old&failedBit == 0 {
			i := search(w.sorted[:w.good], old)
			copy(w.sorted[i:w.good-1], w.sorted[i+1:w.good])
			w.good--
		}
	} else {
		w.used++
	}
	w.ring[w.next] = us
	if ok {
		i := search(w.sorted[:w.good], us)
		copy(w.sorted[i+1:w.good+1], w.sorted[i:w.good])
		w.sorted[i] = us
		w.good++
	} else {
		w.ring[w.next] = us | failedBit
	}
	if w.next++; w.next == windowSize {
		w.next = 0
	}
	return w.summarise()
}

// search returns the first index whose value is at least v.
func search(s []uint32, v uint32) int {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if s[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// measure returns the measure of the calls recorded so far.
func (w *window) measure() Measure {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.summarise()
}

// summarise computes the measure. Callers hold mu.
func (w *window) summarise() Measure {
	m := Measure{Samples: w.used, Successes: w.good}
	if w.used > 0 {
		m.ErrorRate = float64(w.used-w.good) / float64(w.used)
	}
	if w.good > 0 {
		m.P50 = time.Duration(w.sorted[rank(w.good, 50)]) * time.Microsecond
		m.P99 = time.Duration(w.sorted[rank(w.good, 99)]) * time.Microsecond
	}
	return m
}

// rank returns the index of the nearest-rank percentile p among n values.
func rank(n, p int) int { return (n*p+99)/100 - 1 }

// dropFailures removes the failed calls. It is used for a healed tool, because otherwise its next error would
// demote it again.
func (w *window) dropFailures() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var kept [windowSize]uint32
	n := 0
	for i := range w.used {
		if slot := w.slot(i); slot&failedBit == 0 {
			kept[n] = slot
			n++
		}
	}
	w.ring, w.used, w.next = kept, n, n%windowSize
}

// slot returns the i-th call of the window, oldest first. Callers hold mu.
func (w *window) slot(i int) uint32 {
	return w.ring[(w.next+windowSize-w.used+i)%windowSize]
}

// lastFailed reports whether the latest call failed.
func (w *window) lastFailed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.used > 0 && w.slot(w.used-1)&failedBit != 0
}

// slots returns the encoded calls of the window, oldest first.
func (w *window) slots() []uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []uint32
	for i := range w.used {
		all = append(all, w.slot(i))
	}
	return all
}
