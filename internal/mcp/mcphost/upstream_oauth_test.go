package mcphost

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/outbound"
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

// A server may lead its client nowhere else, not even where private addresses are
// permitted: what follows the redirect is the call with all it holds.
func TestRedirectsElsewhereAreRefused(t *testing.T) {
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			var reached atomic.Int32
			inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
			defer inside.Close()
			outside := httptest.NewServer(http.RedirectHandler(inside.URL, status))
			defer outside.Close()
			w, err := newWeb(config.MCPServerConfig{URL: outside.URL, AllowPrivate: true}, &secrets{}, &pause{})
			if err != nil {
				t.Fatal(err)
			}
			c := newConnections()
			client := w.client(c)
			defer c.closeAll()
			resp, err := client.Post(outside.URL, "text/plain", strings.NewReader("what the players said"))
			if err == nil {
				t.Error(resp.Body.Close())
			}
			if !errors.Is(err, outbound.ErrRedirect) || reached.Load() != 0 {
				t.Errorf("err = %v, %d requests elsewhere; want the redirect refused and none", err, reached.Load())
			}
		})
	}
}

// A private address takes allow_private, whatever name it has.
func TestPrivateServersAreRefused(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	for _, address := range []string{inside.URL, strings.Replace(inside.URL, "127.0.0.1", "localhost", 1), "http://169.254.169.254/latest/meta-data"} {
		w, err := newWeb(config.MCPServerConfig{URL: address}, &secrets{}, &pause{})
		if err != nil {
			t.Fatal(err)
		}
		c := newConnections()
		resp, err := w.client(c).Post(address, "text/plain", nil)
		if err == nil {
			t.Error(resp.Body.Close())
		}
		c.closeAll()
		if err == nil || !strings.Contains(err.Error(), "allow_private") || reached.Load() != 0 {
			t.Errorf("%s: err = %v, reached %d times; want a refusal that says how to allow it", address, err, reached.Load())
		}
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
