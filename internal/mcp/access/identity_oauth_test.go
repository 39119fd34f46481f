package access_test

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// present sends a token from elsewhere.
func present(g *access.Gatekeeper, token string) (string, error) {
	s, err := g.Identify(request("192.0.2.7:50000", "192.0.2.1:8787", "table.example", "Authorization", "Bearer "+token))
	if err != nil {
		return "", err
	}
	return s.Name + " " + s.Profile.Name, nil
}

func TestIdentifyAccessTokens(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	es := newSigner(t, "es", jose.ES256)
	ed := newSigner(t, "ed", jose.EdDSA)
	ps := newSigner(t, "ps", jose.PS256)
	stranger := newSigner(t, "rs", jose.RS256)
	hour := time.Hour
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for _, row := range []struct {
		name    string
		by      signer
		changes map[string]any
		want    string // name and profile; empty means refused
		err     error
	}{
		{"rs256", rs, nil, "oauth:mira player.full", nil},
		{"es256", es, nil, "oauth:mira player.full", nil},
		{"eddsa", ed, nil, "oauth:mira player.full", nil},
		{"ps256", ps, nil, "oauth:mira player.full", nil},
		{"several_audiences", rs, map[string]any{"aud": []string{"other", audience}}, "oauth:mira player.full", nil},
		{"first_scope_wins", rs, map[string]any{"scope": "glyphoxa:dm glyphoxa:play"}, "oauth:mira dm", nil},
		{"scope_list", rs, map[string]any{"scope": []string{"x", "glyphoxa:dm"}}, "oauth:mira dm", nil},
		{"scp_list", rs, map[string]any{"scope": nil, "scp": []string{"glyphoxa:dm"}}, "oauth:mira dm", nil},
		{"scp_text", rs, map[string]any{"scope": nil, "scp": "glyphoxa:dm x"}, "oauth:mira dm", nil},
		{"client_instead_of_subject", rs, map[string]any{"sub": nil, "client_id": "bot"}, "oauth:bot player.full", nil},
		{"valid_since", rs, map[string]any{"nbf": at(-hour)}, "oauth:mira player.full", nil},

		{"no_scope", rs, map[string]any{"scope": nil}, "", access.ErrForbidden},
		{"other_scope", rs, map[string]any{"scope": "email"}, "", access.ErrForbidden},
		{"scope_is_no_prefix", rs, map[string]any{"scope": "glyphoxa:dm2 glyphoxa"}, "", access.ErrForbidden},
		{"scope_of_another_type", rs, map[string]any{"scope": 7}, "", access.ErrUnauthorized},
		{"other_audience", rs, map[string]any{"aud": "https://elsewhere.example"}, "", access.ErrUnauthorized},
		{"audience_is_no_prefix", rs, map[string]any{"aud": audience + "/more"}, "", access.ErrUnauthorized},
		{"no_audience", rs, map[string]any{"aud": nil}, "", access.ErrUnauthorized},
		{"other_issuer", rs, map[string]any{"iss": "https://auth.example.com"}, "", access.ErrUnauthorized},
		{"no_issuer", rs, map[string]any{"iss": nil}, "", access.ErrUnauthorized},
		{"expired", rs, map[string]any{"exp": at(-time.Minute)}, "", access.ErrUnauthorized},
		{"no_expiry", rs, map[string]any{"exp": nil}, "", access.ErrUnauthorized},
		{"not_yet", rs, map[string]any{"nbf": at(hour)}, "", access.ErrUnauthorized},
		{"nobody", rs, map[string]any{"sub": nil}, "", access.ErrUnauthorized},
		{"other_key_of_the_same_name", stranger, nil, "", access.ErrUnauthorized},
	} {
		t.Run(row.name, func(t *testing.T) {
			is := newIssuer(t, rs, es, ed, ps)
			got, err := present(keeper(t, is.server(), nil), is.token(row.by, row.changes))
			if got != row.want || !errors.Is(err, row.err) {
				t.Errorf("Identify = %q, %v; want %q, %v", got, err, row.want, row.err)
			}
		})
	}
}

// Tokens that name an algorithm with which anyone could sign.
func TestForgedTokens(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	part := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	payload := part(is.claims(nil))
	der, err := x509.MarshalPKIXPublicKey(rs.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := rs.public().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	hs := func(secret []byte) string {
		return sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: secret}, is.claims(nil), map[jose.HeaderKey]any{"kid": "rs"})
	}
	own := newSigner(t, "own", jose.RS256)
	embedded := sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: own.key}, is.claims(nil), map[jose.HeaderKey]any{"jwk": own.public()})
	good := is.token(rs, nil)
	parts := strings.Split(good, ".")
	for _, row := range []struct{ name, token string }{
		{"none", part(map[string]string{"alg": "none", "kid": "rs"}) + "." + payload + "."},
		{"none_in_capitals", part(map[string]string{"alg": "NONE"}) + "." + payload + ".x"},
		{"hs256_with_the_public_key_as_der", hs(der)},
		{"hs256_with_the_public_key_as_pem", hs(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))},
		{"hs256_with_the_public_key_as_jwk", hs(jwk)},
		{"own_key_embedded", embedded},
		{"other_payload", parts[0] + "." + part(is.claims(map[string]any{"scope": "glyphoxa:dm"})) + "." + parts[2]},
		{"no_signature", parts[0] + "." + parts[1] + "."},
		{"garbage", "a.b.c"},
		{"dots", ".."},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := present(keeper(t, is.server(), nil), row.token); !errors.Is(err, access.ErrUnauthorized) {
				t.Errorf("Identify = %q, %v; want ErrUnauthorized", got, err)
			}
		})
	}
	symmetric := newIssuer(t)
	g := keeper(t, symmetric.server(), nil)
	if got, err := present(g, hs(der)); !errors.Is(err, access.ErrUnauthorized) || symmetric.fetched() != 0 {
		t.Errorf("hs256 = %q, %v with %d fetches; want ErrUnauthorized without asking", got, err, symmetric.fetched())
	}
	if got, err := present(keeper(t, is.server(), nil), good); err != nil {
		t.Errorf("the token that was forged from = %q, %v; want it accepted", got, err)
	}
}

func TestFallbackProfile(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	cfg := is.server()
	cfg.OAuth.Profile = "player.limited"
	g := keeper(t, cfg, nil)
	for _, row := range []struct{ name, scope, want string }{
		{"mapped", "glyphoxa:dm", "oauth:mira dm"},
		{"not_mapped", "email", "oauth:mira player.limited"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := present(g, is.token(rs, map[string]any{"scope": row.scope})); got != row.want {
				t.Errorf("Identify = %q, %v; want %q", got, err, row.want)
			}
		})
	}
}

// Names appear in rules and records, so they are plain, short and unique.
func TestSubjectsBecomeNames(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	g := keeper(t, is.server(), nil)
	long := strings.Repeat("a", 64)
	seen := map[string]string{}
	for _, row := range []struct{ name, sub, want string }{
		{"plain", "mira", "oauth:mira"},
		{"provider", "auth0|123", "oauth:auth0|123"},
		{"address", "https://id.example/7", "oauth:https://id.example/7"},
		{"longest", long, "oauth:" + long},
		{"too_long", long + "a", "oauth:" + long + "~"},
		{"longer_still", long + "b", "oauth:" + long + "~"},
		{"glob", "mi*a", "oauth:mi_a~"},
		{"control", "mi\x1b[31ma\n", "oauth:mi__31ma_~"},
		{"invisible", "mi\u200bra", "oauth:mi_ra~"},
		{"the_mark_itself", "mi_ra~0", "oauth:mi_ra_0~"},
		{"another_caller", "npc:bartok", "oauth:npc:bartok"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := present(g, is.token(rs, map[string]any{"sub": row.sub}))
			if err != nil {
				t.Fatal(err)
			}
			got = strings.TrimSuffix(got, " player.full")
			if first, shared := seen[got]; shared {
				t.Errorf("%q and %q share the name %q", first, row.sub, got)
			}
			seen[got] = row.sub
			if strings.HasSuffix(row.want, "~") && len(got) == len(row.want)+16 {
				got = got[:len(row.want)]
			}
			if got != row.want {
				t.Errorf("name = %q, want %q", got, row.want)
			}
		})
	}
}

func TestKeyRotation(t *testing.T) {
	old, fresh := newSigner(t, "old", jose.RS256), newSigner(t, "fresh", jose.ES256)
	is := newIssuer(t, old)
	g := keeper(t, is.server(), nil)
	if got, err := present(g, is.token(old, nil)); err != nil {
		t.Fatalf("Identify = %q, %v; want the old key accepted", got, err)
	}
	is.publish(fresh)
	if got, err := present(g, is.token(fresh, nil)); !errors.Is(err, access.ErrUnauthorized) {
		t.Errorf("right after a fetch = %q, %v; want ErrUnauthorized until the keys may be asked for again", got, err)
	}
	if n := is.fetched(); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
	access.Elapse(g, 11*time.Second)
	if got, err := present(g, is.token(fresh, nil)); err != nil {
		t.Errorf("Identify = %q, %v; want the new key accepted", got, err)
	}
	if got, err := present(g, is.token(old, nil)); !errors.Is(err, access.ErrUnauthorized) {
		t.Errorf("Identify = %q, %v; want the withdrawn key refused", got, err)
	}
	if n := is.fetched(); n != 2 {
		t.Errorf("%d fetches, want 2", n)
	}
}

// A withdrawn key stops working within a quarter of an hour, even if no token with a new
// key arrives.
func TestKeysAreAskedForAgain(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	g := keeper(t, is.server(), nil)
	token := is.token(rs, nil)
	if _, err := present(g, token); err != nil {
		t.Fatal(err)
	}
	is.publish(newSigner(t, "other", jose.ES256))
	access.Elapse(g, 16*time.Minute)
	if got, err := present(g, token); !errors.Is(err, access.ErrUnauthorized) {
		t.Errorf("Identify = %q, %v; want the withdrawn key refused", got, err)
	}
}

// TestAccessTokensHaveATerm: access that a token grants ends when the token expires.
func TestAccessTokensHaveATerm(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	ends := time.Now().Add(7 * time.Minute).Truncate(time.Second)
	token := is.token(rs, map[string]any{"exp": ends.Unix()})
	_, term, err := keeper(t, is.server(), nil).Admit(request("192.0.2.7:50000", "192.0.2.1:8787", "table.example", "Authorization", "Bearer "+token))
	if err != nil || !access.Expires(term).Equal(ends) {
		t.Errorf("the term ends at %v, %v, want %v", access.Expires(term), err, ends)
	}
}

// While the issuer is down, known keys are accepted for a day, and a token with an
// unknown key does not count as a guess.
func TestIssuerDown(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	g := keeper(t, is.server(), nil)
	token := is.token(rs, map[string]any{"exp": time.Now().Add(48 * time.Hour).Unix()})
	down := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) }
	is.respond(down)
	for range 20 {
		_, err := present(g, token)
		if !errors.Is(err, access.ErrUnavailable) || access.Status(err) != http.StatusServiceUnavailable || access.RetryAfter(err) <= 0 {
			t.Fatalf("err = %v (%d, retry after %v), want ErrUnavailable", err, access.Status(err), access.RetryAfter(err))
		}
	}
	if n := is.fetched(); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
	is.respond(nil)
	access.Elapse(g, 21*time.Second)
	if _, err := present(g, token); err != nil {
		t.Fatalf("after it is back: %v", err)
	}
	is.respond(down)
	access.Elapse(g, 23*time.Hour)
	if _, err := present(g, token); err != nil {
		t.Errorf("with keys of yesterday: %v, want them trusted", err)
	}
	access.Elapse(g, 2*time.Hour)
	if _, err := present(g, token); !errors.Is(err, access.ErrUnavailable) {
		t.Errorf("with keys older than a day: %v, want ErrUnavailable", err)
	}
}

// A program whose token has expired retries again and again; that does not count as
// guessing.
func TestGenuineTokensAreNoGuesses(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	g := keeper(t, is.server(), nil)
	for _, changes := range []map[string]any{{"exp": 1}, {"aud": "elsewhere"}, {"scope": "email"}, {"sub": nil}} {
		token := is.token(rs, changes)
		for range 20 {
			if _, err := present(g, token); errors.Is(err, access.ErrTooMany) || err == nil {
				t.Fatalf("%v: err = %v, want a refusal that is no ErrTooMany", changes, err)
			}
		}
	}
}

// Made-up tokens, even many at once, must not flood the issuer with requests.
func TestGarbageFetchesOnce(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	g := keeper(t, is.server(), nil)
	good := is.token(rs, nil)
	var tokens []string
	for _, id := range []string{"a", "b", "c", ""} {
		made := rs
		made.id = id
		if id == "" {
			made = newSigner(t, "", jose.ES256)
		}
		tokens = append(tokens, is.token(made, nil))
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if i%5 == 4 {
				if got, err := present(g, good); err != nil && !errors.Is(err, access.ErrTooMany) {
					t.Errorf("good token = %q, %v; want it accepted", got, err)
				}
				return
			}
			if got, err := present(g, tokens[i%4]); err == nil {
				t.Errorf("made-up token was taken for %q", got)
			}
		})
	}
	wg.Wait()
	if n := is.fetched(); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
}

func TestWhatTheIssuerMayAnswer(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{rs.public()}})
	if err != nil {
		t.Fatal(err)
	}
	one := strings.TrimSuffix(strings.TrimPrefix(string(keys), `{"keys":[`), `]}`)
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) }
	}
	for _, row := range []struct {
		name   string
		answer http.HandlerFunc
		ok     bool
	}{
		{"unknown_keys_beside", text(`{"keys":[{"kty":"XYZ"},{"kty":"oct","k":"AAAA","kid":"rs"},7,` + one + `]}`), true},
		{"key_for_encryption", text(`{"keys":[` + strings.Replace(one, `"use":"sig"`, `"use":"enc"`, 1) + `]}`), false},
		{"no_keys", text(`{"keys":[]}`), false},
		{"not_json", text(`<html>`), false},
		{"too_large", text(`{"keys":[` + one + `]}` + strings.Repeat(" ", 1<<20)), false},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				http.Redirect(w, r, "/keys?again", http.StatusFound)
				return
			}
			text(`{"keys":[`+one+`]}`)(w, r)
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			is := newIssuer(t, rs)
			is.respond(row.answer)
			got, err := present(keeper(t, is.server(), nil), is.token(rs, nil))
			if (err == nil) != row.ok || err != nil && !errors.Is(err, access.ErrUnavailable) {
				t.Errorf("Identify = %q, %v; want accepted %t, else ErrUnavailable", got, err, row.ok)
			}
		})
	}
}

// The log tells the operator the reason and never contains the token.
func TestRefusalsAreLoggedWithoutTokens(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	var buf bytes.Buffer
	cfg := is.server()
	cfg.Clients = []config.Client{{Name: "claude", Token: claudeToken, Profile: "dm"}}
	g := keeper(t, cfg, slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{Level: slog.LevelDebug})))
	tokens := []string{is.token(rs, map[string]any{"aud": "https://elsewhere.example"}), "wrong-wrong-wrong", claudeToken + "x"}
	var errs []string
	for _, token := range tokens {
		if _, err := present(g, token); err != nil {
			errs = append(errs, err.Error())
		}
	}
	if !strings.Contains(buf.String(), "elsewhere.example") {
		t.Errorf("the log does not say which audience was wrong: %s", buf.String())
	}
	if strings.Contains(strings.Join(errs, "\n"), audience) {
		t.Errorf("the caller is told our audience: %q", errs)
	}
	for _, token := range append(tokens, claudeToken) {
		if strings.Contains(buf.String()+strings.Join(errs, "\n"), token) {
			t.Errorf("token %q is shown", token)
		}
	}
}
