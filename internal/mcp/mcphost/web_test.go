package mcphost_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// surf connects a new host to a server. It is closed at the end, in bounded
// time, and its log must not hold any of the secrets.
func surf(t *testing.T, cfg config.MCPServerConfig, secrets ...string) (*mcphost.Host, error) {
	t.Helper()
	var book logBook
	h := mcphost.New(mcphost.WithLogger(book.logger()))
	cfg.Name, cfg.Transport = "web", config.TransportStreamableHTTP
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = config.Duration(watchdog)
	}
	if cfg.CallTimeout == 0 { // 16 MiB take long where the race detector looks on
		cfg.CallTimeout = config.Duration(watchdog)
	}
	err := h.RegisterServer(t.Context(), cfg)
	t.Cleanup(func() {
		start := time.Now()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > watchdog {
			t.Errorf("Close took %v", took)
		}
		for _, secret := range secrets {
			if strings.Contains(book.String(), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
	return h, err
}

func private(u string) config.MCPServerConfig {
	return config.MCPServerConfig{URL: u, AllowPrivate: true}
}

func webStatus(h *mcphost.Host) mcphost.ServerStatus { return h.Servers()[0] }

func TestStaticTokens(t *testing.T) {
	for name, token := range map[string]string{"bare": "s3cret-token", "with Bearer": "Bearer s3cret-token", "in lower case": " bearer  s3cret-token "} {
		t.Run(name, func(t *testing.T) {
			web := newWebsite(t, httptest.NewServer)
			cfg := private(web.URL)
			cfg.Auth.Token = config.Secret(token)
			h, err := surf(t, cfg, "s3cret-token")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.ExecuteTool(t.Context(), "act", ""); err != nil {
				t.Error(err)
			}
			if got := web.shown(); got != "Bearer s3cret-token" {
				t.Errorf("the server was shown %q", got)
			}
		})
	}
}

func TestOAuthWinsOverToken(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	var refuse atomic.Bool
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, secret, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		if refuse.Load() || secret != "client-s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"invalid_client","error_description":"not %s"}`, secret)
			return
		}
		fmt.Fprint(w, `{"access_token":"granted-t0ken","token_type":"Bearer","expires_in":3600}`)
	}))
	defer tokens.Close()
	cfg := private(web.URL)
	cfg.Auth = config.MCPAuth{Token: "static-t0ken", OAuth: &config.MCPOAuth{ClientID: "me", ClientSecret: "client-s3cret", TokenURL: tokens.URL}}
	h, err := surf(t, cfg, "client-s3cret", "granted-t0ken", "static-t0ken")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.ExecuteTool(t.Context(), "act", ""); err != nil {
		t.Error(err)
	}
	if got := web.shown(); got != "Bearer granted-t0ken" {
		t.Errorf("the server was shown %q", got)
	}
	refuse.Store(true)
	_, err = surf(t, cfg, "client-s3cret", "static-t0ken")
	if !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), "the token server refused: invalid_client") {
		t.Errorf("err = %v, want the token server's refusal", err)
	}
	if err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v holds the secret", err)
	}
}

func TestServersThatEchoTheTokenDoNotGetItTold(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	web.gate = func(w http.ResponseWriter, r *http.Request, method string) bool {
		if method != "tools/call" {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"%s is not allowed"}}`, r.Header.Get("Authorization"))
		return true
	}
	cfg := private(web.URL + "?key=query-s3cret")
	cfg.Auth.Token = "echoed-t0ken"
	h, err := surf(t, cfg, "echoed-t0ken", "query-s3cret")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.ExecuteTool(t.Context(), "act", "")
	if err == nil || !strings.Contains(err.Error(), "Bearer [redacted] is not allowed") {
		t.Errorf("err = %v, want it without the token", err)
	}
	web.Server.CloseClientConnections()
	web.Server.Config.SetKeepAlivesEnabled(false)
	web.Server.Listener.Close()
	if _, err = h.ExecuteTool(t.Context(), "act", ""); err == nil || strings.Contains(err.Error(), "query-s3cret") {
		t.Errorf("err = %v, want one without the query", err)
	}
}

func TestLostSessionIsOpenedAnew(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	h, err := surf(t, private(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	web.session.Store(-1) // the server has forgotten us
	if _, err := h.ExecuteTool(t.Context(), "act", ""); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("err = %v, want ErrUnavailable", err)
	}
	waitFor(t, h, "the session is opened anew", func() bool { return webStatus(h).Connects == 2 })
	if n := web.count("act"); n != 0 {
		t.Errorf("the call was made %d times after all", n)
	}
	if _, err := h.ExecuteTool(t.Context(), "act", ""); err != nil || web.count("act") != 1 {
		t.Errorf("after that: %v with %d calls", err, web.count("act"))
	}
	web.session.Store(-1)
	if _, err := h.ExecuteTool(t.Context(), "look", ""); err != nil || web.count("look") != 1 {
		t.Errorf("a call that may be made twice: %v with %d calls, want it made over the new session", err, web.count("look"))
	}
}

func TestServerThatWantsAPauseGetsIt(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	var turned atomic.Int32
	var header atomic.Value
	header.Store("")
	web.gate = func(w http.ResponseWriter, _ *http.Request, method string) bool {
		after := header.Load().(string)
		if method != "tools/call" || after == "" {
			return false
		}
		turned.Add(1)
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
	h, err := surf(t, private(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	header.Store("0")
	for range 40 {
		if _, err := h.ExecuteTool(t.Context(), "act", ""); !errors.Is(err, mcp.ErrBusy) {
			t.Errorf("err = %v, want ErrBusy", err)
		}
	}
	if s := status(t, h, "act"); s.State != "ready" || s.Samples != 0 {
		t.Errorf("tool = %+v: a pause is held against it", s)
	}
	if s := webStatus(h); s.State != "ready" || s.Failures != 0 || s.Connects != 1 {
		t.Errorf("server = %+v: a pause is held against it", s)
	}
	header.Store("2")
	turned.Store(0)
	for range 10 {
		if _, err := h.ExecuteTool(t.Context(), "act", ""); !errors.Is(err, mcp.ErrBusy) || !strings.Contains(err.Error(), "pause") {
			t.Errorf("err = %v, want ErrBusy saying why", err)
		}
	}
	if n := turned.Load(); n != 1 {
		t.Errorf("the server was asked %d times within the pause, want once", n)
	}
	if s := webStatus(h); s.Paused <= 0 {
		t.Errorf("server = %+v, want the pause shown", s)
	}
	header.Store("")
	eventually(t, "the pause is over", func() bool {
		_, err := h.ExecuteTool(t.Context(), "act", "")
		return err == nil
	})
}

// TestRedirectsElsewhereAreRefused: neither the call nor the token goes to a server that
// nobody configured.
func TestRedirectsElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	elsewhere := newWebsite(t, httptest.NewServer)
	web.gate = func(w http.ResponseWriter, r *http.Request, method string) bool {
		if method == "tools/call" {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}
		return method == "tools/call"
	}
	elsewhere.session.Store(1)
	cfg := private(web.URL)
	cfg.Auth.Token = "kept-t0ken"
	h, err := surf(t, cfg, "kept-t0ken")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.ExecuteTool(t.Context(), "act", ""); err == nil || !strings.Contains(err.Error(), "configure the address that answers by itself") {
		t.Errorf("err = %v, want what to do about the redirect", err)
	}
	if got := elsewhere.shown(); got != "" || elsewhere.count("act") != 0 {
		t.Errorf("the other server was called %d times and shown %q, want neither", elsewhere.count("act"), got)
	}
}

func TestNamesOfPrivateAddressesAreRefused(t *testing.T) {
	web := newWebsite(t, httptest.NewServer)
	u, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = surf(t, config.MCPServerConfig{URL: "http://localhost:" + u.Port()})
	if !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), "allow_private") {
		t.Errorf("err = %v, want a refusal that says how to allow it", err)
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	web := newWebsite(t, func(h http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake fails, as it should
		s.StartTLS()
		return s
	})
	_, err := surf(t, private(web.URL))
	if !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("err = %v, want the certificate refused", err)
	}
}

func TestOversizedAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	h, err := surf(t, private(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"huge": "longer than 16 MiB", "huge_stream": "is longer than 16 MiB"} {
		if _, err := h.ExecuteTool(t.Context(), tool, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: err = %v, want %q", tool, err, want)
		}
		if _, err := h.ExecuteTool(t.Context(), "act", ""); err != nil {
			t.Errorf("after %s: %v", tool, err)
		}
	}
	if s := webStatus(h); s.Connects != 1 {
		t.Errorf("server = %+v, want the connection to survive", s)
	}
}

func TestServerThatHangsOverHTTP(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	stuck := make(chan struct{})
	web.gate = func(_ http.ResponseWriter, r *http.Request, method string) bool {
		if method == "tools/call" || method == "notifications/cancelled" || r.Method == http.MethodDelete {
			<-stuck
		}
		return false
	}
	t.Cleanup(func() { close(stuck) }) // before the server is closed, after the host
	h, err := surf(t, private(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.ExecuteTool(ctx, "act", ""); !errors.Is(err, mcp.ErrTimeout) {
		t.Errorf("err = %v, want ErrTimeout", err)
	}
	if s := webStatus(h); s.State != "ready" {
		t.Errorf("server = %+v", s)
	}
}

func TestOpeningThatHangsOverHTTP(t *testing.T) {
	web := newWebsite(t, httptest.NewServer)
	stuck := make(chan struct{})
	web.gate = func(http.ResponseWriter, *http.Request, string) bool { <-stuck; return true }
	t.Cleanup(func() { close(stuck) })
	cfg := private(web.URL)
	cfg.ConnectTimeout = config.Duration(100 * time.Millisecond)
	start := time.Now()
	if _, err := surf(t, cfg); !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), "no answer within 100ms") {
		t.Errorf("err = %v, want no answer", err)
	}
	if took := time.Since(start); took > watchdog {
		t.Errorf("it took %v to give up", took)
	}
}

func TestWebServerThatGoesAndReturns(t *testing.T) {
	t.Parallel()
	web := newWebsite(t, httptest.NewServer)
	h, err := surf(t, private(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	address := web.Listener.Addr().String()
	gone := h.Changed()
	web.Close()
	if _, err := h.ExecuteTool(t.Context(), "act", ""); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("err = %v, want ErrUnavailable", err)
	}
	select {
	case <-gone:
	case <-time.After(watchdog):
		t.Fatal("one call that cannot reach the server is not enough to miss it")
	}
	if s := webStatus(h); s.State != "down" || len(h.Names()) != 0 {
		t.Errorf("server = %+v, tools = %q; want none", s, h.Names())
	}
	back := newWebsite(t, at(t, address))
	waitFor(t, h, "the tools are back", func() bool { return len(h.Names()) > 0 })
	if _, err := h.ExecuteTool(t.Context(), "act", ""); err != nil || back.count("act") != 1 {
		t.Errorf("after its return: %v with %d calls", err, back.count("act"))
	}
}
