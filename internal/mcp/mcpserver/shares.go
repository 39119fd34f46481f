package mcpserver

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// What requests that are under way may hold, in bytes of their bodies. What decodes
// and answers a request takes ten times its bytes and more.
const (
	// defaultBody is the longest request where nothing else is configured.
	defaultBody = 4 << 20
	// modestShare is what every caller may hold, whatever others do.
	modestShare = 256 << 10
	// crowdedShares is how many callers may hold their full share at once.
	crowdedShares = 4
	// burstBytes is what must have been under way for memory to be given back
	// afterwards.
	burstBytes = 1 << 20
	// calmTime is how long it must have been calm by then.
	calmTime = 3 * time.Second
)

// shares bound what requests that are under way hold, for each caller and in all. It is
// safe for concurrent use.
type shares struct {
	each, all int64 // bytes

	mu    sync.Mutex // guards the fields below
	held  map[string]int64
	total int64
	burst bool          // much has been held since memory was last given back
	calm  chan struct{} // of one; told when little is held after a burst
}

// newShares returns shares for requests of at most body bytes: one of that size fits
// into a caller's.
func newShares(body int64) *shares {
	each := body + 2*modestShare
	return &shares{each: each, all: crowdedShares * each, held: map[string]int64{}, calm: make(chan struct{}, 1)}
}

// of returns a caller's share.
func (s *shares) of(caller *access.Subject) Share { return share{s, caller.Name} }

// share is what one caller may hold.
type share struct {
	*shares
	who string
}

func (s share) Take(n int64) bool { return s.take(s.who, n) }
func (s share) GiveBack(n int64)  { s.giveBack(s.who, n) }

// take has who hold n bytes more, unless that is more than its share. What is long
// leaves a modest part of it to what is short: a caller whose name many go by, such as
// whoever comes without a token, is not locked out by one of them.
func (s *shares) take(who string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, most := s.held[who]+n, s.each
	if n > FirstRead {
		most -= modestShare
	}
	if held > modestShare && (held > most || s.total+n > s.all) {
		return false
	}
	s.held[who] = held
	s.total += n
	s.burst = s.burst || s.total >= burstBytes
	return true
}

// giveBack ends what take began.
func (s *shares) giveBack(who string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= n
	if s.held[who] -= n; s.held[who] <= 0 {
		delete(s.held, who)
	}
	if s.burst && s.total < burstBytes {
		select {
		case s.calm <- struct{}{}:
		default: // told already
		}
	}
}

// noteBurst has memory given back for something that held none of the shares.
func (s *shares) noteBurst() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.burst = true
	if s.total < burstBytes {
		select {
		case s.calm <- struct{}{}:
		default: // told already
		}
	}
}

// endBurst reports whether a burst is over, and forgets it if so.
func (s *shares) endBurst() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := s.burst && s.total < burstBytes
	s.burst = s.burst && !over
	return over
}

// giveMemoryBack gives the system what bursts have taken, until ctx ends: the
// runtime itself would do so only when it next collects garbage, which a program
// that has nothing to do puts off for minutes.
func (s *shares) giveMemoryBack(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.calm:
		}
		timer := time.NewTimer(calmTime)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if s.endBurst() {
			debug.FreeOSMemory()
		}
	}
}
