package access_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/MrWong99/glyphoxa/internal/config"
)

const audience = "https://table.example/mcp"

// issuer is an authorization server on the loopback interface.
type issuer struct {
	t   testing.TB
	url string

	mu      sync.Mutex // guards the fields below
	keys    []jose.JSONWebKey
	fetches int
	// answer, if set, is served instead of the keys.
	answer http.HandlerFunc
}

// signer is a private key with its ID.
type signer struct {
	id  string
	alg jose.SignatureAlgorithm
	key crypto.Signer
}

func newSigner(t testing.TB, id string, alg jose.SignatureAlgorithm) signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch alg {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, alg, key}
}

func (s signer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: s.key.Public(), KeyID: s.id, Use: "sig"}
}

// newIssuer serves metadata and the keys of signers.
func newIssuer(t testing.TB, signers ...signer) *issuer {
	t.Helper()
	is := &issuer{t: t}
	is.publish(signers...)
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	is.url = srv.URL
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		is.write(w, map[string]string{"issuer": is.url, "jwks_uri": is.url + "/keys"})
	})
	mux.HandleFunc("/keys", is.serveKeys)
	return is
}

func (is *issuer) serveKeys(w http.ResponseWriter, r *http.Request) {
	is.mu.Lock()
	is.fetches++
	answer, keys := is.answer, is.keys
	is.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	is.write(w, jose.JSONWebKeySet{Keys: keys})
}

func (is *issuer) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		is.t.Errorf("answering: %v", err)
	}
}

// publish replaces the keys.
func (is *issuer) publish(signers ...signer) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.keys = nil
	for _, s := range signers {
		is.keys = append(is.keys, s.public())
	}
}

func (is *issuer) respond(answer http.HandlerFunc) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.answer = answer
}

func (is *issuer) fetched() int {
	is.mu.Lock()
	defer is.mu.Unlock()
	return is.fetches
}

// server returns a configuration that accepts the issuer's tokens.
func (is *issuer) server() config.Server {
	return config.Server{OAuth: &config.OAuth{
		Issuer: is.url, Audience: audience,
		Scopes: map[string]string{"glyphoxa:dm": "dm", "glyphoxa:play": "player.full"},
	}}
}

// claims returns the claims of a valid token with changes applied; nil removes a claim.
func (is *issuer) claims(changes map[string]any) map[string]any {
	now := time.Now()
	out := map[string]any{
		"iss": is.url, "aud": audience, "sub": "mira", "scope": "openid glyphoxa:play",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	for k, v := range changes {
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

// sign makes a token.
func sign(t testing.TB, key jose.SigningKey, claims map[string]any, header map[jose.HeaderKey]any) string {
	t.Helper()
	s, err := jose.NewSigner(key, &jose.SignerOptions{ExtraHeaders: header})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := s.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// token signs the issuer's claims with s.
func (is *issuer) token(s signer, changes map[string]any) string {
	is.t.Helper()
	key := jose.SigningKey{Algorithm: s.alg, Key: jose.JSONWebKey{Key: s.key, KeyID: s.id}}
	return sign(is.t, key, is.claims(changes), nil)
}
