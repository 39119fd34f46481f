package access

import (
	"crypto/sha256"
	"strings"
	"sync"
	"time"
)

const (
	// After maxStrikes wrong tokens within strikeWindow, further ones from the same address, or with the same
	// beginning, must wait for blockTime.
	maxStrikes   = 10
	strikeWindow = time.Minute
	blockTime    = time.Minute
	// maxOffenders bounds the entries of one generation.
	maxOffenders = 4096
	// prefixLength is the length of a token's beginning, in characters.
	prefixLength = 8
)

// offender is an address that sent wrong tokens, or their common beginning.
type offender struct {
	failures int
	since    time.Time // time of the first counted strike
	until    time.Time // end of the block
}

// throttle counts wrong tokens by address or by beginning. It is safe for concurrent use.
//
// It remembers two generations of entries. When the younger one is full or old, it drops the older one. An
// attacker with more addresses than that could not be stopped by remembering them.
type throttle struct {
	mu           sync.Mutex // guards the fields below
	young, older map[string]offender
	began        time.Time // start of the young generation
}

func newThrottle() *throttle { return &throttle{young: map[string]offender{}} }

// blocked returns how much longer an entry is blocked; 0 if it is not.
func (t *throttle) blocked(from string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, time.Until(t.findOffender(from).until))
}

// recordFailure counts a wrong token and reports whether the entry is now blocked.
func (t *throttle) recordFailure(from string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	o := t.findOffender(from)
	if now.Sub(o.since) >= strikeWindow {
		o = offender{since: now}
	}
	o.failures++
	block := o.failures >= maxStrikes
	if block {
		o = offender{since: now, until: now.Add(blockTime)}
	}
	if len(t.young) >= maxOffenders || now.Sub(t.began) >= strikeWindow+blockTime {
		t.older, t.young, t.began = t.young, map[string]offender{}, now
	}
	t.young[from] = o
	return block
}

// findOffender returns the state of an entry. Callers hold mu.
func (t *throttle) findOffender(from string) offender {
	if o, ok := t.young[from]; ok {
		return o
	}
	return t.older[from]
}

// beginning returns the key by which wrong tokens are counted in addition to their address, because guesses
// at one token may come from many addresses. It is a hash, because a wrong token may be nearly right.
func beginning(token string) string {
	token = strings.TrimPrefix(token, tokenPrefix)
	sum := sha256.Sum256([]byte(token[:min(len(token), prefixLength)]))
	return string(sum[:])
}

// wrongTokens counts wrong tokens separately by address and by beginning. It never counts valid tokens. It is
// safe for concurrent use.
type wrongTokens struct{ addresses, beginnings *throttle }

func newWrongTokens() wrongTokens { return wrongTokens{newThrottle(), newThrottle()} }

// recordFailure counts a wrong or missing token and returns how long the caller must wait; 0 means not at all. first
// reports whether the wait starts with this token.
func (w wrongTokens) recordFailure(from, token string) (wait time.Duration, first bool) {
	wait = w.addresses.blocked(from)
	if wait == 0 {
		first = w.addresses.recordFailure(from)
	}
	if token == "" {
		return wait, first
	}
	key := beginning(token)
	if more := w.beginnings.blocked(key); more > 0 {
		return max(wait, more), first
	}
	return wait, w.beginnings.recordFailure(key) || first
}
