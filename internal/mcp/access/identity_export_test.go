package access

import "time"

// Elapse advances the age of the issuer's keys by d.
func Elapse(g *Gatekeeper, d time.Duration) {
	k := g.oauth.keys
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.next = k.at.Add(-d), k.next.Add(-d)
}

// Expires returns when a term expires by itself.
func Expires(t Term) time.Time { return t.expires }
