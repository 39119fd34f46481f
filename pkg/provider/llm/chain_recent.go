package llm

import (
	"math"
	"slices"
	"sync"
	"time"
)

// Window for choosing the fastest link.
const (
	maxRecent = 20
	lately    = 10 * time.Minute
)

// recent holds a link's latest times to the first chunk. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex // guards the fields below
	took [maxRecent]time.Duration
	at   [maxRecent]time.Time
	n    int // number of times added so far
}

func (r *recent) add(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took[r.n%maxRecent], r.at[r.n%maxRecent] = d, time.Now()
	r.n++
}

// median returns the median of the times within the window; false if there are none.
func (r *recent) median() (time.Duration, bool) {
	since := time.Now().Add(-lately)
	r.mu.Lock()
	defer r.mu.Unlock()
	var all [maxRecent]time.Duration
	fresh := all[:0]
	for i := range min(r.n, maxRecent) {
		if r.at[i].After(since) {
			fresh = append(fresh, r.took[i])
		}
	}
	if len(fresh) == 0 {
		return 0, false
	}
	slices.Sort(fresh)
	return fresh[(len(fresh)-1)/2], true
}

// fastest returns the available link that is likely to begin first, or -1 if there is none. A link without
// recent times may be the fastest, which only asking it can tell, so it is preferred, except for the first
// link.
func (c *Chain) fastest() int {
	best, least := -1, time.Duration(math.MaxInt64)
	for n := range c.times {
		i := (n + 1) % len(c.times) // the first link comes last, so that others win a tie
		if !c.links.Breakers[i].Ready() {
			continue
		}
		took, known := c.times[i].median()
		if !known && i == 0 {
			took = math.MaxInt64
		}
		if took < least {
			best, least = i, took
		}
	}
	return best
}
