package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// fetchPause is the least time between two fetches of the keys, so that made-up
	// tokens cannot turn us against the issuer. It doubles with every failure, up
	// to longestPause.
	fetchPause   = 10 * time.Second
	longestPause = time.Minute
	// fetchTimeout bounds one fetch, finding the keys included.
	fetchTimeout = 10 * time.Second
	// Keys older than freshFor are fetched again, since the issuer may have
	// withdrawn one; while that fails they are trusted for staleFor.
	freshFor = 15 * time.Minute
	staleFor = 24 * time.Hour
	// maxKeys bounds the keys of an issuer.
	maxKeys = 100
)

// algorithms are those an access token may be signed with. All are asymmetric:
// a public key is never taken for a shared secret.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}
}

var (
	errUnknownKey = errors.New("no key of the issuer fits the token")
	errSignature  = errors.New("the signature is wrong")
	errCutShort   = errors.New("fetching was cut short")
)

// keyring holds the issuer's keys. They are fetched by the caller that first
// needs them; others wait for that one. It is safe for concurrent use.
type keyring struct {
	issuer string
	fixed  string // where the keys are; if empty, the issuer's metadata say
	client *http.Client
	// found is what the metadata said. It belongs to whoever fetches.
	found string

	mu     sync.Mutex // guards the fields below; never held while fetching
	keys   []jose.JSONWebKey
	at     time.Time // of the fetch that brought keys
	err    error     // of the last fetch
	pause  time.Duration
	next   time.Time     // nothing is fetched before
	flight chan struct{} // closed when the fetch under way ends; nil if none is
}

// attempt is a keyring for one token. It keeps the error that the verifier turns
// into text.
type attempt struct {
	keys *keyring
	// signed is set once a key of the issuer fits.
	signed bool
	err    error
}

// VerifySignature is [oidc.KeySet]'s.
func (a *attempt) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := a.keys.verifyToken(ctx, token)
	a.signed, a.err = err == nil, err
	return payload, err
}

// verifyToken returns the payload of a token that one of the keys has signed. The error
// wraps [ErrUnavailable] if a key may be missing that cannot be fetched.
func (k *keyring) verifyToken(ctx context.Context, token string) ([]byte, error) {
	jws, err := jose.ParseSignedCompact(token, algorithms())
	if err != nil {
		return nil, fmt.Errorf("reading the token: %v", err)
	}
	keys, fresh := k.cached()
	payload, known := tryKeys(jws, keys)
	if !fresh || !known && payload == nil {
		// Whoever has a usable key waits for nobody else's fetch.
		keys, err = k.refresh(ctx, payload == nil)
		payload, known = tryKeys(jws, keys)
	}
	switch {
	case payload != nil:
		return payload, nil
	case known:
		return nil, errSignature
	case err != nil:
		return nil, fmt.Errorf("%w: %v", ErrUnavailable, err)
	}
	return nil, errUnknownKey
}

// tryKeys returns the payload if one of keys has signed it, and reports whether
// the key was there that the token names.
func tryKeys(jws *jose.JSONWebSignature, keys []jose.JSONWebKey) (payload []byte, known bool) {
	header := jws.Signatures[0].Header
	for i := range keys {
		key := &keys[i]
		if header.KeyID != "" && key.KeyID != header.KeyID || key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		known = known || header.KeyID != ""
		if payload, err := jws.Verify(key); err == nil {
			return payload, true
		}
	}
	return nil, known
}

// cached returns the keys that may be used and reports whether that needs no
// asking.
func (k *keyring) cached() (keys []jose.JSONWebKey, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usable(), time.Since(k.at) < freshFor
}

// usable returns the keys unless they are too old. The caller holds mu.
func (k *keyring) usable() []jose.JSONWebKey {
	if time.Since(k.at) >= staleFor {
		return nil
	}
	return k.keys
}

// refresh fetches the keys, unless that is under way or was done a moment ago,
// and returns those that may be used then, with the error of the last fetch. If
// another call is fetching, it waits for that one if so told.
func (k *keyring) refresh(ctx context.Context, wait bool) ([]jose.JSONWebKey, error) {
	k.mu.Lock()
	flight, lead := k.flight, false
	if flight == nil && !time.Now().Before(k.next) {
		lead = true
		k.flight = make(chan struct{})
	}
	k.mu.Unlock()
	switch {
	case lead:
		k.fetch(ctx)
	case flight != nil && wait:
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usable(), k.err
}

// fetch gets the keys and ends the flight. It outlives the request it serves:
// whoever hangs up must not cost the others their keys.
func (k *keyring) fetch(ctx context.Context) {
	keys, err := []jose.JSONWebKey(nil), errCutShort
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.pause = min(max(2*k.pause, fetchPause), longestPause)
		if k.err = err; err == nil {
			k.keys, k.at, k.pause = keys, time.Now(), fetchPause
		}
		k.next = time.Now().Add(k.pause)
		close(k.flight)
		k.flight = nil
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
	defer cancel()
	keys, err = k.download(ctx)
}

// download gets the keys from where they are.
func (k *keyring) download(ctx context.Context) ([]jose.JSONWebKey, error) {
	from := k.fixed
	if from == "" {
		from = k.found
	}
	if from == "" {
		var err error
		if from, err = discover(ctx, k.client, k.issuer); err != nil {
			return nil, fmt.Errorf("finding the issuer's keys: %w", err)
		}
		k.found = from
	}
	var doc struct {
		Keys []json.RawMessage `json:"keys"`
	}
	err := getJSON(ctx, k.client, from, &doc)
	if err != nil {
		k.found = "" // they may have moved
		return nil, fmt.Errorf("fetching the issuer's keys: %w", err)
	}
	keys := publicKeys(doc.Keys)
	if len(keys) == 0 {
		return nil, errors.New("fetching the issuer's keys: there is none of use")
	}
	return keys, nil
}

// publicKeys reads what can be used to check signatures and leaves the rest.
func publicKeys(raw []json.RawMessage) []jose.JSONWebKey {
	var keys []jose.JSONWebKey
	for _, text := range raw[:min(len(raw), maxKeys)] {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(text) == nil && key.Valid() && key.IsPublic() && key.Use != "enc" {
			keys = append(keys, key)
		}
	}
	return keys
}
