package access

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// FuzzIdentify sends any headers. Only the holder of a token becomes its client, and a
// request with anything like credentials is never anonymous.
func FuzzIdentify(f *testing.F) {
	const token = "claude-claude-claude"
	for _, seed := range [][2]string{
		{"Bearer " + token, ""}, {"bearer  " + token, "mcp"}, {"", protocolPrefix + base64.RawURLEncoding.EncodeToString([]byte(token))},
		{"Bearer wrong", ""}, {"Basic x", "mcp, " + protocolPrefix}, {"", "mcp"}, {"Bearer", ""}, {"Bearer a.b.c", ""},
		{" Bearer " + token + " ", "," + protocolPrefix + "!"}, {token, token}, {"Bearer \x00", protocolPrefix + "AA=="},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, authorization, protocols string) {
		g := &Gatekeeper{
			anonymous: Subject{Name: Anonymous}, wrong: newWrongTokens(),
			equal: func(a, b []byte) int {
				if string(a) == string(b) {
					return 1
				}
				return 0
			},
			log: slog.New(slog.DiscardHandler),
		}
		g.clients.Store(&[]tokenClient{{digest: sha256.Sum256([]byte(token)), subject: Subject{Name: "claude"}}})
		r := &http.Request{ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, RemoteAddr: "127.0.0.1:1", Host: "localhost"}
		local := net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2})
		r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local))
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		if protocols != "" {
			r.Header.Set("Sec-WebSocket-Protocol", protocols)
		}
		encoded := base64.RawURLEncoding.EncodeToString([]byte(token))
		switch s, err := g.Identify(r); {
		case err != nil:
			if !errors.Is(err, ErrUnauthorized) || !utf8.ValidString(err.Error()) {
				t.Errorf("err = %v, want ErrUnauthorized in plain text", err)
			}
			if h := g.Challenge(r, err); strings.ContainsAny(h, "\r\n") {
				t.Errorf("challenge %q breaks the line", h)
			}
		case s.Name == "claude" && !strings.Contains(authorization, token) && !strings.Contains(protocols, encoded):
			t.Errorf("%q, %q is taken for the client", authorization, protocols)
		case s.Name == Anonymous && strings.HasPrefix(strings.TrimSpace(protocols), protocolPrefix):
			t.Errorf("%q is taken for anonymous", protocols)
		case s.Name == Anonymous && authorization != "":
			t.Errorf("%q is taken for anonymous", authorization)
		}
	})
}

// FuzzAccessToken presents any text as a token: without the key none is accepted.
func FuzzAccessToken(f *testing.F) {
	for _, seed := range []string{
		"a.b.c", "..", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA",
		"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA", `{"payload":"","signatures":[]}`,
		"eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il0sImI2NCI6ZmFsc2V9.e30.AAAA",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		k := &keyring{fixed: "https://auth.example/keys", client: &http.Client{
			Transport: roundTripper(func(*http.Request) (*http.Response, error) {
				return answer(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`), nil
			}),
		}}
		if payload, err := k.verifyToken(t.Context(), token); err == nil {
			t.Errorf("opened %q: %q", token, payload)
		}
	})
}

// FuzzOrigin parses any Origin: an accepted origin means the same after it is formatted
// again.
func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{
		"https://app.example", "HTTPS://App.Example:443", "http://[::1]:8787", "null", "", "file://",
		"https://a/", "https://a@b", "https://a:99999", "https://a.", "app://tool", "https://[fe80::1%25eth0]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scheme, at, ok := splitOrigin(text)
		if !ok {
			return
		}
		if strings.ContainsAny(at, "/@?# ") || at == "" {
			t.Errorf("%q is taken for the host %q", text, at)
		}
		host := at
		if strings.Contains(at, ":") && !strings.Contains(at, "[") && strings.Count(at, ":") > 1 {
			host = "[" + at + "]" // an IPv6 address without a port
		}
		again, atAgain, ok := splitOrigin(scheme + "://" + host)
		if ok && (again != scheme || atAgain != at) {
			t.Errorf("%q is %q at %q, and again %q at %q", text, scheme, at, again, atAgain)
		}
	})
}

// Names made from subjects are bounded and unique.
func TestSubjectNamesAreNeverShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		x, y := subjectName(a), subjectName(b)
		if a != b && x == y {
			t.Fatalf("%q and %q share the name %q", a, b, x)
		}
		if n := utf8.RuneCountInString(x); n > len("oauth:")+maxSubject+17 || !utf8.ValidString(x) {
			t.Fatalf("name %q has %d letters", x, n)
		}
	})
}

// A token is found among any other subprotocols.
func TestSubprotocolsCarryTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.StringMatching(`[!-~]{1,200}`).Draw(t, "token")
		offers := rapid.SliceOfN(rapid.SampledFrom([]string{"mcp", "", "glyphoxa", "glyphoxa.other.AAAA"}), 0, 4).Draw(t, "others")
		at := rapid.IntRange(0, len(offers)).Draw(t, "at")
		offers = append(offers[:at:at], append([]string{protocolPrefix + base64.RawURLEncoding.EncodeToString([]byte(want))}, offers[at:]...)...)
		h := http.Header{"Sec-Websocket-Protocol": {strings.Join(offers, rapid.SampledFrom([]string{",", ", ", " ,\t"}).Draw(t, "comma"))}}
		got, given, err := TokenFromSubprotocols(h)
		if diff := cmp.Diff(want, got); diff != "" || !given || err != nil {
			t.Fatalf("token %q, given %t, %v; want %q", got, given, err, want)
		}
	})
}
