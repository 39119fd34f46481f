package identity

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// maxStrikes wrong tokens within strikeWindow block an address for blockTime.
	maxStrikes   = 10
	strikeWindow = time.Minute
	blockTime    = time.Minute
	// maxOffenders bounds the addresses of one generation.
	maxOffenders = 4096
)

// offender is an address that sent wrong tokens.
type offender struct {
	strikes int
	since   time.Time // of the first strike that counts
	until   time.Time // blocked before
}

// throttle counts wrong tokens by address. It is safe for concurrent use.
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

// sender returns what wrong tokens are counted by: the IP address without the
// port, and of IPv6 the network that one customer has to itself.
func sender(remote string) string {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := ap.Addr().Unmap().WithZone("")
	if ip.Is6() && !ip.IsLoopback() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
