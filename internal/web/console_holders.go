package web

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// Limits of sign-ins.
const (
	maxHolders    = 1024               // total
	maxOwnHolders = 8                  // per caller; the least recently used is removed
	holderTime    = 12 * time.Hour     // without a request
	holderMost    = 7 * 24 * time.Hour // with requests
)

// signInState is a sign-in: with a token, as the owner, or with an account. The token, and the campaigns that the
// account leads, are checked again for each request, so that changes take effect immediately.
type signInState struct {
	token   string
	owner   bool
	account account
	// caller groups sign-ins for limits: the name of the token's client, or the account.
	caller string
	// proven holders have a token, or an account that leads a game. Anyone can create accounts, so unproven
	// holders are removed first.
	proven bool

	cookie, crumb string
	began, seen   time.Time
	ended         context.Context // ends at sign-out, for whatever reason
	end           context.CancelFunc
}

// expired reports whether the holder must sign in again.
func (h *signInState) expired(now time.Time) bool {
	return now.Sub(h.seen) > holderTime || now.Sub(h.began) > holderMost
}

// signInStates are the current sign-ins by cookie. A caller's many sign-ins replace each other first, so that they
// do not affect others.
type signInStates struct {
	mu  sync.Mutex // guards all, and seen and proven of each
	all map[string]*signInState
}

func (h *signInStates) add(one signInState) (cookie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]*signInState{}
	}
	h.makeRoom(one.caller)
	one.cookie, one.crumb = rand.Text(), rand.Text()
	one.began = time.Now()
	one.seen = one.began
	one.ended, one.end = context.WithCancel(context.Background())
	h.all[one.cookie] = &one
	return one.cookie
}

// makeRoom removes expired holders and, if necessary, one more: the caller's least recently used one if the
// caller has reached its limit, else one that is unproven or whose caller has the most. The caller must hold
// mu.
func (h *signInStates) makeRoom(caller string) {
	now, held := time.Now(), map[string]int{}
	for _, one := range h.all {
		if one.expired(now) {
			h.remove(one)
			continue
		}
		held[one.caller]++
	}
	var leaves *signInState
	switch {
	case held[caller] >= maxOwnHolders:
		for _, one := range h.all {
			if one.caller == caller && (leaves == nil || one.seen.Before(leaves.seen)) {
				leaves = one
			}
		}
	case len(h.all) >= maxHolders:
		for _, one := range h.all {
			if leaves == nil || evictedBefore(one, leaves, held) {
				leaves = one
			}
		}
	}
	if leaves != nil {
		h.remove(leaves)
	}
}

// evictedBefore reports whether a holder should be removed before another.
func evictedBefore(one, other *signInState, held map[string]int) bool {
	switch {
	case one.proven != other.proven:
		return other.proven
	case held[one.caller] != held[other.caller]:
		return held[one.caller] > held[other.caller]
	}
	return one.seen.Before(other.seen)
}

// find returns a copy of a cookie's holder, and marks it as used now.
func (h *signInStates) find(cookie string) (signInState, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.all[cookie]
	if one == nil {
		return signInState{}, false
	}
	now := time.Now()
	if one.expired(now) {
		h.remove(one)
		return signInState{}, false
	}
	one.seen = now
	return *one, true
}

// prove records that the account of a holder leads a game.
func (h *signInStates) prove(cookie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.all[cookie]; one != nil {
		one.proven = true
	}
}

func (h *signInStates) drop(cookie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.all[cookie]; one != nil {
		h.remove(one)
	}
}

// remove signs a holder out, and then ends the holder's requests and streams. The caller must hold mu.
func (h *signInStates) remove(one *signInState) {
	delete(h.all, one.cookie)
	one.end()
}
