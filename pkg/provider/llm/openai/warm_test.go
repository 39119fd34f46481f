package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// counted is a model server that counts its connections.
type counted struct {
	*httptest.Server
	opened atomic.Int32

	mu    sync.Mutex // guards the field below
	asked []string
}

// startCounted starts a server that answers lists of models with list and
// everything else with "Aye.".
func startCounted(t *testing.T, list http.HandlerFunc, start func(*httptest.Server)) *counted {
	t.Helper()
	c := &counted{}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.asked = append(c.asked, r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("Authorization"))
		c.mu.Unlock()
		if r.Method == http.MethodGet {
			list(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	c.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			c.opened.Add(1)
		}
	}
	start(c.Server)
	t.Cleanup(c.Close)
	return c
}

func TestFirstRequestUsesTheWarmConnection(t *testing.T) {
	const model = `{"id":"vendor/m","object":"model"}`
	found := func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, model) }
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":"no"}`, code) }
	}
	plain, tls := (*httptest.Server).Start, (*httptest.Server).StartTLS
	for _, row := range []struct {
		name  string
		start func(*httptest.Server)
		list  http.HandlerFunc
	}{
		{"plain", plain, found},
		{"tls", tls, found},
		{"http2", func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, found},
		{"the model is unknown there", tls, status(http.StatusNotFound)},
		{"the key is refused", tls, status(http.StatusUnauthorized)},
		{"a long list", tls, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat(model, 4000)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := startCounted(t, row.list, row.start)
			p, err := openai.New(openai.Options{BaseURL: s.URL, Model: "vendor/m", APIKey: key, HTTPClient: s.Client()})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := p.Warm(t.Context()); err != nil {
				t.Fatalf("Warm: %v", err)
			}
			if got, err := collect(t.Context(), p, hello()); err != nil || got.Text != "Aye." {
				t.Fatalf("got %q, %v", got.Text, err)
			}
			if n := s.opened.Load(); n != 1 {
				t.Errorf("%d connections were opened, want the warm one alone", n)
			}
			want := []string{"GET /v1/models/vendor%2Fm Bearer " + key, "POST /v1/chat/completions Bearer " + key}
			if !slices.Equal(s.asked, want) {
				t.Errorf("asked %q, want %q", s.asked, want)
			}
		})
	}
}

func TestWarmFails(t *testing.T) {
	const nobody = "http://user:hunter2@127.0.0.1:1" // a port of privileged programs, which no other test is given
	hangs := startCounted(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, (*httptest.Server).Start)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, row := range []struct {
		name, base string
		ctx        context.Context
		want       error
	}{
		{"nobody listens", nobody, t.Context(), llm.ErrUnavailable},
		{"no answer in time", hangs.URL, soon, context.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := openai.New(openai.Options{BaseURL: row.base, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := p.Warm(row.ctx); !errors.Is(err, row.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("err = %v, want %v without a password", err, row.want)
			}
		})
	}
}

func TestErrorsSayHowLongToStayAway(t *testing.T) {
	busy := func(status int, after string) fakeopenai.Response {
		return fakeopenai.Response{Status: status, Message: "later", RetryAfter: after}
	}
	for _, row := range []struct {
		name     string
		answer   fakeopenai.Response
		want     time.Duration
		requests int
	}{
		{"rate limit", busy(429, "60"), time.Minute, 1},
		{"rate limit without a time", busy(429, ""), 0, 1},
		{"overloaded", busy(503, "30"), 30 * time.Second, 1},
		{"overloaded for a moment", busy(503, "0.01"), 10 * time.Millisecond, 2},
		{"overloaded without a time", busy(503, ""), 0, 2},
		{"far too long", busy(429, "86400"), 10 * time.Minute, 1},
		{"no reason to wait", busy(401, "60"), 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fakeopenai.Start(t, fakeopenai.Always(row.answer), nil)
			_, err := collect(t.Context(), connect(t, s, openai.Options{}), hello())
			var f interface{ RetryAfter() time.Duration }
			if !errors.As(err, &f) {
				t.Fatalf("err = %v, want one that knows how long to wait", err)
			}
			if got := f.RetryAfter(); got != row.want {
				t.Errorf("RetryAfter = %v, want %v", got, row.want)
			}
			if n := len(s.ChatRequests()); n != row.requests {
				t.Errorf("%d requests, want %d", n, row.requests)
			}
		})
	}
}

func TestErrorsSayWhoseKey(t *testing.T) {
	const setting = "providers.llm.fallback[1]"
	s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Fail(401, "who are you?")), nil)
	_, err := collect(t.Context(), connect(t, s, openai.Options{Setting: setting}), hello())
	if err == nil || !strings.HasSuffix(err.Error(), "; check "+setting+".api_key") {
		t.Errorf("err = %v, want advice about %s.api_key", err, setting)
	}
	if _, err := openai.New(openai.Options{Model: "m", Setting: setting}); err == nil || !strings.Contains(err.Error(), "set "+setting+".api_key") {
		t.Errorf("err = %v, want it to ask for %s.api_key", err, setting)
	}
	if _, err := openai.New(openai.Options{Setting: setting}); err == nil || !strings.Contains(err.Error(), "set "+setting+".model") {
		t.Errorf("err = %v, want it to ask for %s.model", err, setting)
	}
}
