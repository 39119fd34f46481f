package access

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// roundTripper replaces the network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// signed returns a token and the key set that verifies it.
func signed(t *testing.T) (token, keys string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := s.Sign([]byte("payload"))
	if err != nil {
		t.Fatal(err)
	}
	if token, err = jws.CompactSerialize(); err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	return token, string(set)
}

func answer(body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Body: io.NopCloser(strings.NewReader(body))}
}

// network answers after a delay, or never if hanging, and counts requests.
type network struct {
	mu      sync.Mutex // guards the fields below
	hanging bool
	after   time.Duration
	body    string
	asked   []time.Time
}

func (n *network) set(hanging bool, after time.Duration, body string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hanging, n.after, n.body = hanging, after, body
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.asked = append(n.asked, time.Now())
	hanging, after, body := n.hanging, n.after, n.body
	n.mu.Unlock()
	if hanging {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	select {
	case <-time.After(after):
		return answer(body), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (n *network) times() []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// A caller that hangs up during a fetch does not cancel it for the others, and a waiting
// caller can stop waiting.
func TestFetchOutlivesItsCaller(t *testing.T) {
	token, keys := signed(t)
	synctest.Test(t, func(t *testing.T) {
		n := &network{after: 5 * time.Second, body: keys}
		k := &keyring{fixed: "https://auth.example/keys", client: &http.Client{Transport: n}}
		ctx, hangUp := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = k.verifyToken(ctx, token) })
		synctest.Wait()
		hangUp()
		wg.Go(func() {
			impatient, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			if _, err := k.verifyToken(impatient, token); !errors.Is(err, ErrUnavailable) || time.Since(start) != time.Second {
				t.Errorf("impatient caller: %v after %v, want ErrUnavailable after 1s", err, time.Since(start))
			}
		})
		wg.Go(func() {
			if payload, err := k.verifyToken(t.Context(), token); string(payload) != "payload" {
				t.Errorf("patient caller: %q, %v; want the payload", payload, err)
			}
		})
		wg.Wait()
		if asked := n.times(); len(asked) != 1 {
			t.Errorf("asked %d times, want once", len(asked))
		}
	})
}

// A hanging issuer is abandoned after ten seconds and tried at growing intervals; clients
// with a known key hardly notice.
func TestHangingIssuer(t *testing.T) {
	token, keys := signed(t)
	synctest.Test(t, func(t *testing.T) {
		n := &network{body: keys}
		k := &keyring{fixed: "https://auth.example/keys", client: &http.Client{Transport: n}}
		if _, err := k.verifyToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		n.set(true, 0, "")
		time.Sleep(freshFor)
		slow, calls := 0, 0
		for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
			start := time.Now()
			if _, err := k.verifyToken(t.Context(), token); err != nil {
				t.Fatalf("known key: %v", err)
			}
			calls++
			if took := time.Since(start); took == fetchTimeout {
				slow++
			} else if took != 0 {
				t.Fatalf("a call took %v, want 0s or %v", took, fetchTimeout)
			}
		}
		asked := n.times()
		for i := 2; i < len(asked); i++ {
			if gap := asked[i].Sub(asked[i-1]); gap < fetchTimeout+fetchPause {
				t.Errorf("asked again after %v, want at least %v", gap, fetchTimeout+fetchPause)
			}
		}
		if slow != len(asked)-1 || slow > 10 {
			t.Errorf("%d of %d calls were slow with %d fetches, want one each and at most 10", slow, calls, len(asked)-1)
		}
	})
}

// While one caller retries a hanging issuer, clients with a known key do not wait.
func TestKnownKeysDoNotWait(t *testing.T) {
	token, keys := signed(t)
	synctest.Test(t, func(t *testing.T) {
		n := &network{body: keys}
		k := &keyring{fixed: "https://auth.example/keys", client: &http.Client{Transport: n}}
		if _, err := k.verifyToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		n.set(true, 0, "")
		time.Sleep(freshFor)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = k.verifyToken(t.Context(), token) })
		synctest.Wait()
		start := time.Now()
		if _, err := k.verifyToken(t.Context(), token); err != nil || time.Since(start) != 0 {
			t.Errorf("open = %v after %v, want nil at once", err, time.Since(start))
		}
		wg.Wait()
	})
}

// Only public signature keys are added to the ring.
func TestPublicKeys(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		key  jose.JSONWebKey
		want int
	}{
		{"public", jose.JSONWebKey{Key: &private.PublicKey, KeyID: "k"}, 1},
		{"private", jose.JSONWebKey{Key: private, KeyID: "k"}, 0},
		{"secret", jose.JSONWebKey{Key: []byte("sixteen byte key"), KeyID: "k"}, 0},
		{"encryption", jose.JSONWebKey{Key: &private.PublicKey, KeyID: "k", Use: "enc"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, err := row.key.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if got := publicKeys([]json.RawMessage{text}); len(got) != row.want {
				t.Errorf("kept %d keys, want %d", len(got), row.want)
			}
			many := slices.Repeat([]json.RawMessage{text}, 2*maxKeys)
			if got := publicKeys(many); len(got) != row.want*maxKeys {
				t.Errorf("kept %d of %d keys, want %d", len(got), len(many), row.want*maxKeys)
			}
		})
	}
}

// A panic during a fetch must not leave the other callers waiting.
func TestFetchEndsTheFlightInAnyCase(t *testing.T) {
	token, _ := signed(t)
	k := &keyring{fixed: "https://auth.example/keys", client: &http.Client{
		Transport: roundTripper(func(*http.Request) (*http.Response, error) { panic("broken transport") }),
	}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone, want it passed on")
			}
		}()
		_, _ = k.verifyToken(t.Context(), token)
	}()
	if _, err := k.verifyToken(t.Context(), token); !errors.Is(err, ErrUnavailable) {
		t.Errorf("afterwards: %v, want ErrUnavailable", err)
	}
}
