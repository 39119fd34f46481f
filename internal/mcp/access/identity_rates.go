package access

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxRates bounds the addresses that [Rates] count.
const maxRates = 1024

// Rates bound how often an address may ask for something that costs more than the asking. They
// are safe for concurrent use.
type Rates struct {
	address func(*http.Request) string
	every   time.Duration
	burst   int

	mu sync.Mutex // guards of
	of map[string]*rate.Limiter
}

// NewRates lets each address ask once in every, after a first burst. address says what a
// request is counted by, such as [Gatekeeper.Address].
func NewRates(address func(*http.Request) string, every time.Duration, burst int) *Rates {
	return &Rates{address: address, every: every, burst: burst, of: map[string]*rate.Limiter{}}
}

// Allow counts a request, and reports whether its address has not asked too often.
func (l *Rates) Allow(r *http.Request) bool {
	from := l.address(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of[from]
	if one == nil {
		l.makeRoom()
		one = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.of[from] = one
	}
	return one.Allow()
}

// makeRoom forgets addresses that may ask as often as new ones, once many are known, and if
// that is not enough any one. It is called with mu held.
func (l *Rates) makeRoom() {
	if len(l.of) < maxRates {
		return
	}
	for from, one := range l.of {
		if one.Tokens() >= float64(l.burst) {
			delete(l.of, from)
		}
	}
	for from := range l.of {
		if len(l.of) < maxRates {
			return
		}
		delete(l.of, from)
	}
}
