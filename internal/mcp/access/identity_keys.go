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
	// fetchPause is the minimum time between two fetches of the keys, so that made-up tokens cannot make us
	// flood the issuer. It doubles with every failure, up to longestPause.
	fetchPause   = 10 * time.Second
	longestPause = time.Minute
	// fetchTimeout bounds one fetch, including discovery.
	fetchTimeout = 10 * time.Second
	// Keys older than freshFor are fetched again, because the issuer may have withdrawn one. While that
	// fails, they remain trusted until they are as old as staleFor.
	freshFor = 15 * time.Minute
	staleFor = 24 * time.Hour
	// maxKeys bounds the number of keys of an issuer.
	maxKeys = 100
)

// algorithms returns the accepted signature algorithms. All are asymmetric, so that a public key cannot be
// misused as a shared secret.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}
}

var (
	errUnknownKey = errors.New("no key of the issuer fits the token")
	errSignature  = errors.New("the signature is wrong")
	errCutShort   = errors.New("fetching was cut short")
)

// keyring caches the issuer's keys. The first caller that needs them fetches them, and others wait for that
// fetch. It is safe for concurrent use.
type keyring struct {
	issuer string
	fixed  string // address of the keys; if empty, discovered from the issuer's metadata
	client *http.Client
	// found is the discovered address. Only the fetching goroutine uses it.
	found string

	mu     sync.Mutex // guards the fields below; never held while fetching
	keys   []jose.JSONWebKey
	at     time.Time // time of the fetch that returned keys
	err    error     // error of the last fetch
	pause  time.Duration
	next   time.Time     // earliest time of the next fetch
	flight chan struct{} // closed when the current fetch ends; nil if there is none
}

// attempt verifies one token with a keyring. It keeps the error, because the verifier converts it to text.
type attempt struct {
	keys *keyring
	// signed is set if a key of the issuer fits.
	signed bool
	err    error
}

// VerifySignature implements [oidc.KeySet].
func (a *attempt) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := a.keys.verifyToken(ctx, token)
	a.signed, a.err = err == nil, err
	return payload, err
}

// verifyToken returns the payload of a token that one of the keys has signed. The error wraps
// [ErrUnavailable] if the key may be missing because the keys could not be fetched.
func (k *keyring) verifyToken(ctx context.Context, token string) ([]byte, error) {
	jws, err := jose.ParseSignedCompact(token, algorithms())
	if err != nil {
		return nil, fmt.Errorf("reading the token: %v", err)
	}
	keys, fresh := k.cached()
	payload, known := tryKeys(jws, keys)
	if !fresh || !known && payload == nil {
		// A caller with a usable key does not wait for another caller's fetch.
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

// tryKeys returns the payload if one of keys has signed it. known reports whether the key that the token
// names was present.
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

// cached returns the usable keys, and whether they are fresh.
func (k *keyring) cached() (keys []jose.JSONWebKey, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usable(), time.Since(k.at) < freshFor
}

// usable returns the keys unless they are too old. Callers hold mu.
func (k *keyring) usable() []jose.JSONWebKey {
	if time.Since(k.at) >= staleFor {
		return nil
	}
	return k.keys
}

// refresh fetches the keys, unless a fetch is in progress or was made a moment ago. It returns the usable
// keys and the error of the last fetch. If wait is set, it waits for another caller's fetch.
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

// fetch fetches the keys and ends the flight. It continues if its request is cancelled, because other callers
// need the keys.
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

// download downloads the keys.
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
		k.found = "" // the keys may have moved
		return nil, fmt.Errorf("fetching the issuer's keys: %w", err)
	}
	keys := publicKeys(doc.Keys)
	if len(keys) == 0 {
		return nil, errors.New("fetching the issuer's keys: there is none of use")
	}
	return keys, nil
}

// publicKeys parses the keys that can verify signatures and ignores the others.
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
