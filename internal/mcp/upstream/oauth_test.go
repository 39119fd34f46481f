package upstream

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// authority plays a token server and the server its tokens are for, without a
// network.
type authority struct {
	grants  atomic.Int32 // how many tokens it has handed out
	revoked atomic.Int32 // tokens up to this number are turned away
	refuse  atomic.Bool
	life    int // of a token, in seconds
	moved   string

	mu   sync.Mutex // guards seen
	seen []string   // what the server was shown
}

func (a *authority) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	switch {
	case r.URL.Path != "/token":
		a.serve(w, r)
	case a.moved != "":
		w.Header().Set("Location", a.moved)
		w.WriteHeader(http.StatusTemporaryRedirect)
	default:
		a.grant(w, r)
	}
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

func (a *authority) grant(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	if a.refuse.Load() {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"invalid_client","error_description":"%s is wrong"}`, body)
		return
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Fprintf(w, `{"access_token":"tok-%d","token_type":"Bearer","expires_in":%d}`, a.grants.Add(1), a.life)
}

func (a *authority) serve(w http.ResponseWriter, r *http.Request) {
	shown := r.Header.Get("Authorization")
	a.mu.Lock()
	a.seen = append(a.seen, shown)
	a.mu.Unlock()
	var n int32
	if _, err := fmt.Sscanf(shown, "Bearer tok-%d", &n); err != nil || n <= a.revoked.Load() {
		w.WriteHeader(http.StatusUnauthorized)
	}
}

// shown returns what the server was shown since the last time.
func (a *authority) shown() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() { a.seen = nil }()
	return strings.Join(a.seen, ", ")
}

const clientSecret = "s3cret/wörd"

func (a *authority) client() *http.Client {
	o := &config.MCPOAuth{ClientID: "glyphoxa", ClientSecret: clientSecret, TokenURL: "https://auth.example.com/token"}
	s := secretsOf(config.MCPServerConfig{Auth: config.MCPAuth{OAuth: o}})
	return &http.Client{Transport: &granted{grant: newGrant(o, s), to: origin{"https", "tools.example.com"}, base: a}}
}

func post(ctx context.Context, c *http.Client) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://tools.example.com/mcp", bytes.NewReader([]byte("hello")))
	if err != nil {
		return 0, err
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func TestTokensAreFetchedBeforeTheyExpireAndWhenTheyAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &authority{life: 60}
		c := a.client()
		want := func(what string, status int, shown string) {
			t.Helper()
			got, err := post(t.Context(), c)
			if s := a.shown(); err != nil || got != status || s != shown {
				t.Errorf("%s: %d, %v after showing %q; want %d after %q", what, got, err, s, status, shown)
			}
		}
		want("first", 200, "Bearer tok-1")
		want("second", 200, "Bearer tok-1")
		time.Sleep(55 * time.Second)
		want("before it expires", 200, "Bearer tok-2")
		a.revoked.Store(2)
		want("when it is refused", 200, "Bearer tok-2, Bearer tok-3")
		a.revoked.Store(99)
		want("when every one is refused", 401, "Bearer tok-3, Bearer tok-4")
		a.revoked.Store(4)
		a.refuse.Store(true)
		want("when no other is granted", 401, "Bearer tok-4")
	})
}

func TestOneTokenServesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &authority{life: 3600}
		c := a.client()
		burst := func() {
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					if status, err := post(t.Context(), c); err != nil || status != 200 {
						t.Errorf("%d, %v", status, err)
					}
				})
			}
			group.Wait()
		}
		burst()
		a.revoked.Store(1)
		burst()
		if n := a.grants.Load(); n != 2 {
			t.Errorf("%d tokens were fetched, want one and its successor", n)
		}
	})
}

func TestRefusedGrantKeepsTheSecret(t *testing.T) {
	a := &authority{}
	a.refuse.Store(true)
	_, err := post(t.Context(), a.client())
	if err == nil || !strings.Contains(err.Error(), "the token server refused: invalid_client") {
		t.Errorf("err = %v, want the reason", err)
	}
	refuteSecret(t, err.Error())
	a = &authority{moved: "https://elsewhere.example.com/token"}
	if _, err = post(t.Context(), a.client()); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a token server that redirects: %v, want a refusal to follow", err)
	}
	if s := a.shown(); s != "" {
		t.Errorf("the redirect was followed, showing %q", s)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = post(gone, a.client()); err == nil {
		t.Error("a caller who left is answered")
	}
}

// refuteSecret fails if text holds the client's secret in any form.
func refuteSecret(t *testing.T, text string) {
	t.Helper()
	for _, form := range []string{clientSecret, url.QueryEscape(clientSecret), base64.StdEncoding.EncodeToString([]byte("glyphoxa:" + clientSecret))} {
		if strings.Contains(text, form) {
			t.Errorf("%q holds the secret", text)
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	s := secretsOf(config.MCPServerConfig{
		URL: "https://joe:pa55word@example.com/mcp?key=querykey&v=1",
		Env: map[string]config.Secret{"API_KEY": "environment-key", "DEBUG": "true"},
		Auth: config.MCPAuth{
			Token: "Bearer static-token",
			OAuth: &config.MCPOAuth{ClientSecret: clientSecret},
		},
	})
	s.setToken("access-token")
	for _, row := range []struct{ name, in, want string }{
		{"static token", "bad token static-token!", "bad token [redacted]!"},
		{"client secret", "x " + clientSecret + " y", "x [redacted] y"},
		{"client secret in a query", "secret=" + url.QueryEscape(clientSecret), "secret=[redacted]"},
		{"access token", `got "access-token"`, `got "[redacted]"`},
		{"environment", "env environment-key", "env [redacted]"},
		{"short variable", "it is true", "it is true"},
		{"query", "Post https://example.com/mcp?key=querykey&v=1: EOF", "Post https://example.com/mcp?[redacted]: EOF"},
		{"value of the query", "unknown key querykey", "unknown key [redacted]"},
		{"password", "pa55word", "[redacted]"},
		{"split by hidden characters", "static\u200b-to\x1b[31mken", "[redacted]"},
		{"split by lines", "one\n\n two", "one two"},
		{"cut through the middle", strings.Repeat("x", maxLine-8) + "static-token", strings.Repeat("x", maxLine-8) + "[redact…"},
	} {
		if got := s.cleanLine(row.in); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	for _, row := range []struct {
		address string
		private bool
	}{
		{"127.0.0.1:80", true}, {"[::1]:80", true}, {"10.1.2.3:80", true}, {"192.168.0.1:80", true}, {"172.16.0.1:80", true},
		{"169.254.169.254:80", true}, {"[fe80::1%eth0]:80", true}, {"[fd00:ec2::254]:80", true}, {"100.100.100.200:80", true},
		{"192.0.0.192:80", true}, {"0.0.0.0:80", true}, {"0.1.2.3:80", true}, {"[::]:80", true}, {"224.0.0.1:80", true},
		{"198.18.0.1:80", true}, {"255.255.255.255:80", true}, {"[::ffff:127.0.0.1]:80", true}, {"[::7f00:1]:80", true},
		{"[64:ff9b::7f00:1]:80", true}, {"[2002:7f00:1::]:80", true}, {"[2001:0:1::1]:80", true}, {"[fec0::1]:80", true},
		{"no address", true},
		{"93.184.216.34:443", false}, {"[2606:2800:220:1::1]:443", false}, {"172.32.0.1:80", false}, {"[2001:4860:4860::8888]:443", false},
	} {
		if err := refusePrivate("tcp", row.address, nil); (err != nil) != row.private {
			t.Errorf("%s: err = %v, want refusal = %v", row.address, err, row.private)
		}
	}
}

// A public address that redirects to a private one must not get us there.
func TestRedirectsIntoTheNetworkAreRefused(t *testing.T) {
	var reached atomic.Bool
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer inside.Close()
	outside := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect))
	defer outside.Close()
	w, err := newWeb(config.MCPServerConfig{URL: outside.URL}, &secrets{}, &pause{})
	if err != nil {
		t.Fatal(err)
	}
	c := newConnections(false)
	guard := c.dialer.Control
	c.dialer.Control = func(network, address string, conn syscall.RawConn) error {
		if address == outside.Listener.Addr().String() {
			return nil // stands for a public address
		}
		return guard(network, address, conn)
	}
	client := w.client(c)
	defer c.sever()
	resp, err := client.Post(outside.URL, "text/plain", nil)
	if err == nil {
		t.Error(resp.Body.Close())
	}
	if err == nil || !strings.Contains(err.Error(), "allow_private") || reached.Load() {
		t.Errorf("err = %v, reached = %v; want a refusal that says how to allow it", err, reached.Load())
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": defaultPause, "7": 7 * time.Second, " 0 ": 0, "-3": 0, "99999999": longestPause, "soon": defaultPause,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): longestPause,
	} {
		if got := retryAfter(header); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", header, got, want)
		}
	}
}
