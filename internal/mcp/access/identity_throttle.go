package access

import (
	"crypto/sha256"
	"strings"
	"sync"
	"time"
)

const (
	// maxStrikes wrong tokens within strikeWindow have further ones from an address, or
	// that begin alike, told to wait for blockTime.
	maxStrikes   = 10
	strikeWindow = time.Minute
	blockTime    = time.Minute
	// maxOffenders bounds the addresses of one generation.
	maxOffenders = 4096
	// prefixLength is how many characters of a token count as its beginning.
	prefixLength = 8
)

// offender is an address that sent wrong tokens, or their common beginning.
type offender struct {
	strikes int
	since   time.Time // of the first strike that counts
	until   time.Time // told to wait before
}

// throttle counts wrong tokens, by address or by how they begin. It is safe for
// concurrent use.
//
// It remembers two generations. When the younger one is full or old, the older
// one is forgotten: whoever has more addresses than that would not be stopped by
// remembering them.
type throttle struct {
	mu           sync.Mutex // guards the fields below
	young, older map[string]offender
	began        time.Time // of the young generation
}

func newThrottle() *throttle { return &throttle{young: map[string]offender{}} }

// blocked returns how much longer an address is blocked, 0 if it is not.
func (t *throttle) blocked(from string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, time.Until(t.findOffender(from).until))
}

// strike counts a wrong token and reports whether the address is blocked now.
func (t *throttle) strike(from string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	o := t.findOffender(from)
	if now.Sub(o.since) >= strikeWindow {
		o = offender{since: now}
	}
	o.strikes++
	block := o.strikes >= maxStrikes
	if block {
		o = offender{since: now, until: now.Add(blockTime)}
	}
	if len(t.young) >= maxOffenders || now.Sub(t.began) >= strikeWindow+blockTime {
		t.older, t.young, t.began = t.young, map[string]offender{}, now
	}
	t.young[from] = o
	return block
}

// findOffender returns what is remembered of an address. The caller holds mu.
func (t *throttle) findOffender(from string) offender {
	if o, ok := t.young[from]; ok {
		return o
	}
	return t.older[from]
}

// beginning is what wrong tokens are counted by beside their address: guesses at one
// token may come from many. It is a hash, since what is wrong may be nearly right.
func beginning(token string) string {
	token = strings.TrimPrefix(token, tokenPrefix)
	sum := sha256.Sum256([]byte(token[:min(len(token), prefixLength)]))
	return string(sum[:])
}

// wrongTokens counts wrong tokens by address and by how they begin, apart. Right ones
// never get here. It is safe for concurrent use.
type wrongTokens struct{ addresses, beginnings *throttle }

func newWrongTokens() wrongTokens { return wrongTokens{newThrottle(), newThrottle()} }

// strike counts a wrong token, or something that is none, and returns how long to wait
// with the next, 0 if not at all. first is whether that begins with this one.
func (w wrongTokens) strike(from, token string) (wait time.Duration, first bool) {
	wait = w.addresses.blocked(from)
	if wait == 0 {
		first = w.addresses.strike(from)
	}
	if token == "" {
		return wait, first
	}
	key := beginning(token)
	if more := w.beginnings.blocked(key); more > 0 {
		return max(wait, more), first
	}
	return wait, w.beginnings.strike(key) || first
}
