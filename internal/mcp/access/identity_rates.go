package access

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxRates bounds the number of addresses that [Rates] counts.
const maxRates = 1024

// Rates limits how often an address may make expensive requests. It is safe for concurrent use.
type Rates struct {
	address func(*http.Request) string
	every   time.Duration
	burst   int

	mu sync.Mutex // guards of
	of map[string]*rate.Limiter
}

// NewRates returns limits of one request per every and address, after an initial burst. address returns the
// key for counting a request, such as [Gatekeeper.Address].
func NewRates(address func(*http.Request) string, every time.Duration, burst int) *Rates {
	return &Rates{address: address, every: every, burst: burst, of: map[string]*rate.Limiter{}}
}

// Allow counts a request and reports whether its address is within the limit.
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

// makeRoom forgets idle addresses when too many are known and, if that is not enough, any others. Callers
// hold mu.
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
