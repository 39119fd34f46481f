package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"testing"
)

// All hashes are compared, wherever the right one is and if there is none, so that timing
// reveals nothing.
func TestMatchComparesAll(t *testing.T) {
	const clients = 5
	g := &Gatekeeper{}
	var all []tokenClient
	for i := range clients {
		all = append(all, tokenClient{digest: sha256.Sum256([]byte{byte(i)})})
	}
	for want := -1; want < clients; want++ {
		compared := 0
		g.equal = func(a, b []byte) int {
			compared++
			return subtle.ConstantTimeCompare(a, b)
		}
		if got := g.match(all, sha256.Sum256([]byte{byte(want)})); got != want {
			t.Errorf("match = %d, want %d", got, want)
		}
		if compared != clients {
			t.Errorf("token %d: compared %d hashes, want %d", want, compared, clients)
		}
	}
}
