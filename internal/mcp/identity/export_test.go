package identity

import "time"

// Elapse lets d pass for the keys of the issuer.
func Elapse(g *Gatekeeper, d time.Duration) {
	k := g.oauth.keys
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.next = k.at.Add(-d), k.next.Add(-d)
}
