package mcphost

import (
	"math"
	"sync"
	"time"
)

// windowSize is how many calls a tool is judged by.
const windowSize = 100

// failed marks a slot whose call failed; the other bits are microseconds.
const failed = 1 << 31

// Measure is what a window knows of a tool.
type Measure struct {
	// P50 and P99 are nearest-rank percentiles over successful calls; zero if
	// there were none.
	P50, P99 time.Duration
	// ErrorRate is failed over all calls, 0 to 1.
	ErrorRate float64
	// Samples counts the calls in the window, Successes the successful ones.
	Samples, Successes int
}

// window keeps the last 100 calls of a tool, each slot with its own outcome,
// and the successful durations in order, so that percentiles are looked up,
// never computed. It is safe for concurrent use and never allocates.
type window struct {
	mu     sync.Mutex // guards the fields below
	ring   [windowSize]uint32
	sorted [windowSize]uint32 // successful durations, ascending
	used   int                // slots in use
	next   int                // slot written next
	good   int                // length of sorted
}

// record adds a call and returns the window as it is then.
func (w *window) record(d time.Duration, ok bool) Measure {
	us := uint32(min(max(d.Microseconds(), 0), math.MaxInt32))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used == windowSize {
		if old := w.ring[w.next]; old&failed == 0 {
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
		w.ring[w.next] = us | failed
	}
	if w.next++; w.next == windowSize {
		w.next = 0
	}
	return w.read()
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

// measure returns the window as it is.
func (w *window) measure() Measure {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.read()
}

func (w *window) read() Measure {
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

// rank is the index of the nearest-rank percentile p among n values.
func rank(n, p int) int { return (n*p+99)/100 - 1 }

// forgive drops the failed calls. A tool that has proved itself again starts
// clean: otherwise its next single error would demote it anew.
func (w *window) forgive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var kept [windowSize]uint32
	n := 0
	for i := range w.used {
		slot := w.ring[(w.next+windowSize-w.used+i)%windowSize]
		if slot&failed == 0 {
			kept[n] = slot
			n++
		}
	}
	w.ring, w.used, w.next = kept, n, n%windowSize
}

// lastFailed reports whether the latest call failed.
func (w *window) lastFailed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.used > 0 && w.ring[(w.next+windowSize-1)%windowSize]&failed != 0
}

// calls returns the calls of the window, oldest first, as its slots keep them.
func (w *window) calls() []uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []uint32
	for i := range w.used {
		all = append(all, w.ring[(w.next+windowSize-w.used+i)%windowSize])
	}
	return all
}
