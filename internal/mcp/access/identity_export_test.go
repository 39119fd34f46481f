package access

import "time"

// Elapse lets d pass for the keys of the issuer.
func Elapse(g *Gatekeeper, d time.Duration) {
	k := g.oauth.keys
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.next = k.at.Add(-d), k.next.Add(-d)
}

// Expires is when a term ends by itself.
func Expires(t Term) time.Time { return t.expires }
