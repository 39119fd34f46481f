package web

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// Bounds of who is signed in.
const (
	maxHolders    = 1024               // in all
	maxOwnHolders = 8                  // of one caller; the one not seen for longest gives way
	holderTime    = 12 * time.Hour     // without a request
	holderMost    = 7 * 24 * time.Hour // with requests
)

// holder is somebody who has signed in: by a token, as who started the program, or by an
// account. The token, and what the account leads, is looked at anew with each request, so
// that what is over is over.
type holder struct {
	token   string
	owner   bool
	account account
	// caller is whose sign-ins count together: the name of the token's client, or the account.
	caller string
	// proven holders have a token, or an account that leads a game. Anybody can make accounts,
	// so the others give way to them.
	proven bool

	cookie, crumb string
	began, seen   time.Time
	over          context.Context // ends when the holder is signed out, however that comes about
	end           context.CancelFunc
}

// expired reports whether the holder has to sign in anew.
func (h *holder) expired(now time.Time) bool {
	return now.Sub(h.seen) > holderTime || now.Sub(h.began) > holderMost
}

// holders are those who have signed in, by what their cookie says. A caller who signs in over
// and over costs others nothing: the sign-ins of one caller give way to each other first.
type holders struct {
	mu  sync.Mutex // guards all, and seen and proven of each
	all map[string]*holder
}

func (h *holders) add(one holder) (cookie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]*holder{}
	}
	h.makeRoom(one.caller)
	one.cookie, one.crumb = rand.Text(), rand.Text()
	one.began = time.Now()
	one.seen = one.began
	one.over, one.end = context.WithCancel(context.Background())
	h.all[one.cookie] = &one
	return one.cookie
}

// makeRoom drops what has expired, and if need be a holder: the caller's own if that one has
// as many as a caller may, else one of those who have proven least and hold most. It is called
// with mu held.
func (h *holders) makeRoom(caller string) {
	now, held := time.Now(), map[string]int{}
	for _, one := range h.all {
		if one.expired(now) {
			h.remove(one)
			continue
		}
		held[one.caller]++
	}
	var leaves *holder
	switch {
	case held[caller] >= maxOwnHolders:
		for _, one := range h.all {
			if one.caller == caller && (leaves == nil || one.seen.Before(leaves.seen)) {
				leaves = one
			}
		}
	case len(h.all) >= maxHolders:
		for _, one := range h.all {
			if leaves == nil || givesWay(one, leaves, held) {
				leaves = one
			}
		}
	}
	if leaves != nil {
		h.remove(leaves)
	}
}

// givesWay reports whether a holder gives way sooner than another.
func givesWay(one, other *holder, held map[string]int) bool {
	switch {
	case one.proven != other.proven:
		return other.proven
	case held[one.caller] != held[other.caller]:
		return held[one.caller] > held[other.caller]
	}
	return one.seen.Before(other.seen)
}

// find returns a copy of the holder of a cookie, who is seen now.
func (h *holders) find(cookie string) (holder, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.all[cookie]
	if one == nil {
		return holder{}, false
	}
	now := time.Now()
	if one.expired(now) {
		h.remove(one)
		return holder{}, false
	}
	one.seen = now
	return *one, true
}

// prove notes that the account of a holder leads a game.
func (h *holders) prove(cookie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.all[cookie]; one != nil {
		one.proven = true
	}
}

func (h *holders) drop(cookie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.all[cookie]; one != nil {
		h.remove(one)
	}
}

// remove signs a holder out, and only then ends the holder's requests and streams. It is
// called with mu held.
func (h *holders) remove(one *holder) {
	delete(h.all, one.cookie)
	one.end()
}
