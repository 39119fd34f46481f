package openai_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/openai"
)

// startCounted starts a service that answers GET with list and other methods with sound.
// It returns the number of connections and the paths requested.
func startCounted(t *testing.T, list http.HandlerFunc, start func(*httptest.Server)) (s *httptest.Server, opened func() int32, asked func() []string) {
	t.Helper()
	var connections atomic.Int32
	var mu sync.Mutex // guards paths
	var paths []string
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		mu.Unlock()
		if r.Method == http.MethodGet {
			list(w, r)
			return
		}
		w.Header().Set("Content-Type", "audio/pcm")
		_, _ = w.Write(make([]byte, 480))
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	start(s)
	t.Cleanup(s.Close)
	return s, connections.Load, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(paths)
	}
}

func TestFirstSentenceUsesTheWarmConnection(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"detail":"no"}`, code) }
	}
	for _, row := range []struct {
		name  string
		start func(*httptest.Server)
		list  http.HandlerFunc
	}{
		{"plain", (*httptest.Server).Start, status(http.StatusOK)},
		{"tls", (*httptest.Server).StartTLS, status(http.StatusOK)},
		{"http2", func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, status(http.StatusOK)},
		{"nothing to list", (*httptest.Server).StartTLS, status(http.StatusNotFound)},
		{"the key is refused", (*httptest.Server).StartTLS, status(http.StatusUnauthorized)},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, opened, asked := startCounted(t, row.list, row.start)
			p := openai.New(key, &openai.Options{BaseURL: s.URL + "/v1", HTTPClient: s.Client()})
			if err := p.Warm(t.Context()); err != nil {
				t.Fatalf("Warm: %v", err)
			}
			for _, err := range p.Synthesize(t.Context(), "Well met.", tts.Voice{ID: "abc"}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if n := opened(); n != 1 {
				t.Errorf("%d connections were opened, want the warm one alone", n)
			}
			want := []string{"GET /v1/models/gpt-4o-mini-tts Bearer " + key, "POST /v1/audio/speech Bearer " + key}
			if got := asked(); !slices.Equal(got, want) {
				t.Errorf("asked %q, want %q", got, want)
			}
		})
	}
}

func TestWarmFails(t *testing.T) {
	const nobody = "http://user:hunter2@127.0.0.1:1" // a privileged port that no other test listens on
	hangs, _, _ := startCounted(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, (*httptest.Server).Start)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, row := range []struct {
		name, base string
		ctx        context.Context
		want       error
	}{
		{"nobody listens", nobody, t.Context(), openai.ErrUnavailable},
		{"no answer in time", hangs.URL, soon, context.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := openai.New(key, &openai.Options{BaseURL: row.base, HTTPClient: hangs.Client()})
			if err := p.Warm(row.ctx); !errors.Is(err, row.want) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), key) {
				t.Errorf("err = %v, want %v without secrets", err, row.want)
			}
		})
	}
}
