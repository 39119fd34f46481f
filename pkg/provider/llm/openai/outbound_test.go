package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// TestPromptsGoNowhereElse has a model's server send the request on to another port. The
// server there must see nothing: a 307 would bring it the whole prompt.
func TestPromptsGoNowhereElse(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			var reached atomic.Int32
			var heard atomic.Value
			other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				reached.Add(1)
				body, _ := io.ReadAll(r.Body)
				heard.Store(string(body))
			}))
			defer other.Close()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+r.URL.Path, status)
			}))
			defer server.Close()
			for _, client := range []*http.Client{nil, {}} {
				p, err := openai.New(openai.Options{BaseURL: server.URL, APIKey: "sk-secret-key", Model: "tale", Setting: "providers.llm.fallback[1]", HTTPClient: client})
				if err != nil {
					t.Fatal(err)
				}
				var got error
				for _, err := range p.Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "the players' secret"}}}) {
					got = err
				}
				if reached.Load() != 0 {
					t.Fatalf("another host got %d requests, the last with %q", reached.Load(), heard.Load())
				}
				if !errors.Is(got, llm.ErrRejected) {
					t.Errorf("err = %v, want a refusal that is not tried again", got)
				}
				for _, word := range []string{"openai tale", "redirect refused", "configure the address", "providers.llm.fallback[1]"} {
					if got == nil || !strings.Contains(got.Error(), word) {
						t.Errorf("err = %v, want %q in it", got, word)
					}
				}
				if err := p.Warm(t.Context()); err == nil || reached.Load() != 0 {
					t.Errorf("Warm = %v, and another host got %d requests", err, reached.Load())
				}
				_ = p.Close()
			}
		})
	}
}

// TestAnswersHaveAnEnd has a server answer without end: one line, many lines, one body.
func TestAnswersHaveAnEnd(t *testing.T) {
	for name, answer := range map[string]struct{ kind, begin, more string }{
		"one_line":   {"text/event-stream", `data: {"choices":[{"delta":{"content":"`, strings.Repeat("a", 1<<16)},
		"many_lines": {"text/event-stream", "", "data: {\"choices\":[]}\n\n"},
		"comments":   {"text/event-stream", "", ": " + strings.Repeat("a", 1<<10) + "\n\n"},
		"whole":      {"application/json", `{"choices":[{"message":{"content":"`, strings.Repeat("a", 1<<16)},
		"error":      {"text/plain", "", strings.Repeat("a", 1<<16)},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && (name == "error" || name == "many_lines") {
				t.Skip("long; make test-all runs it")
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", answer.kind)
				if name == "error" {
					w.WriteHeader(http.StatusBadRequest)
				}
				_, err := io.WriteString(w, answer.begin)
				for err == nil && r.Context().Err() == nil {
					_, err = io.WriteString(w, answer.more)
				}
			}))
			defer server.Close()
			p, err := openai.New(openai.Options{BaseURL: server.URL, Model: "tale", MaxRetries: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close() }()
			var got error
			for _, err := range p.Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Hello"}}}) {
				got = err
			}
			if got == nil {
				t.Error("an answer without end was taken for one")
			}
		})
	}
}
