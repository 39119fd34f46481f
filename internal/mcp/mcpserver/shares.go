package mcpserver

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Bounds on the bodies of requests in progress, in bytes. Decoding and answering a request takes ten times
// its size or more.
const (
	// defaultBody is the maximum size of a request if none is configured.
	defaultBody = 4 << 20
	// modestShare is what every caller may hold, whatever others hold.
	modestShare = 256 << 10
	// crowdedShares is how many callers may hold their full share at once.
	crowdedShares = 4
	// burstBytes is how much must have been in progress before memory is returned to the system.
	burstBytes = 1 << 20
	// calmTime is how long it must have been quiet before that.
	calmTime = 3 * time.Second
)

// shares bounds the bytes that requests in progress hold, per caller and in total. It is safe for concurrent
// use.
type shares struct {
	each, all int64 // bytes

	mu    sync.Mutex // guards the fields below
	held  map[string]int64
	total int64
	burst bool          // much was held since memory was last returned
	calm  chan struct{} // capacity one; signalled when little is held after a burst
}

// newShares returns shares for requests of at most body bytes. A request of that size fits into one caller's
// share.
func newShares(body int64) *shares {
	each := body + 2*modestShare
	return &shares{each: each, all: crowdedShares * each, held: map[string]int64{}, calm: make(chan struct{}, 1)}
}

// of returns a caller's share.
func (s *shares) of(caller *access.Subject) Share { return share{s, caller.Name} }

// share is the share of one caller.
type share struct {
	*shares
	who string
}

func (s share) Take(n int64) bool { return s.reserve(s.who, n) }
func (s share) GiveBack(n int64)  { s.release(s.who, n) }

// reserve adds n bytes to the share of who, unless that exceeds the share. Long requests leave a small part of
// the share to short ones, so that one of them cannot lock out all others that use the same name, such as
// callers without a token.
func (s *shares) reserve(who string, n int64) bool {
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

// release returns n bytes to the share.
func (s *shares) release(who string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= n
	if s.held[who] -= n; s.held[who] <= 0 {
		delete(s.held, who)
	}
	if s.burst && s.total < burstBytes {
		select {
		case s.calm <- struct{}{}:
		default: // signalled already
		}
	}
}

// requestMemoryReturn requests that memory is returned, for something that held none of the shares.
func (s *shares) requestMemoryReturn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.burst = true
	if s.total < burstBytes {
		select {
		case s.calm <- struct{}{}:
		default: // signalled already
		}
	}
}

// endBurst reports whether a burst is over, and resets it if so.
func (s *shares) endBurst() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := s.burst && s.total < burstBytes
	s.burst = s.burst && !over
	return over
}

// returnMemory returns memory to the system after bursts, until ctx ends. The runtime would do so only at
// its next garbage collection, which an idle program delays for minutes.
func (s *shares) returnMemory(ctx context.Context) {
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
