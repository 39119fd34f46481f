package openai_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

// TestNew checks invalid options.
func TestNew(t *testing.T) {
	for _, row := range []struct {
		name string
		opts openai.Options
		want string
	}{
		{"address", openai.Options{BaseURL: "ftp://user:secret@host"}, "no ws, wss, http or https URL"},
		{"no_host", openai.Options{BaseURL: "localhost"}, "no ws, wss, http or https URL"},
		{"dialect", openai.Options{Dialect: "alpha"}, `the dialect is "alpha", want "ga", "beta" or "basic"`},
		{"rate", openai.Options{InputRate: 100}, "the input rate is 100"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := openai.New("key", &row.opts)
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("err = %v, want %q", err, row.want)
			}
		})
	}
	p, err := openai.New("key", nil)
	if err != nil || p.Name() != "openai gpt-realtime" || !p.Capabilities().ManualTurns || p.Capabilities().Longest != time.Hour {
		t.Errorf("the default is %v, %v", p, err)
	}
}

// TestConnectRefused checks the errors of opening a session: they say how to fix it, and
// never contain the key.
func TestConnectRefused(t *testing.T) {
	for _, row := range []struct {
		name, key, code string
		status          int
		want            error
		advice          string
	}{
		{"bad_key", "sk-wrong-0123456789abcdef", "", 0, s2s.ErrRejected, "check its api_key in engines.s2s"},
		{"no_quota", fakerealtime.Key, "insufficient_quota", 429, s2s.ErrRejected, ""},
		{"rate_limited", fakerealtime.Key, "rate_limit_exceeded", 429, s2s.ErrRateLimited, ""},
		{"down", fakerealtime.Key, "", 503, s2s.ErrUnavailable, ""},
		{"unknown_model", fakerealtime.Key, "model_not_found", 404, s2s.ErrRejected, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := fakerealtime.Start(t, fakerealtime.Script{Status: row.status, Code: row.code})
			p, err := openai.New(row.key, &openai.Options{BaseURL: server.URL(), Setting: "engines.s2s"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Connect(t.Context(), s2s.SessionOptions{})
			if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.advice) || strings.Contains(err.Error(), row.key) {
				t.Errorf("err = %v, want %v", err, row.want)
			}
		})
	}
	t.Run("nobody", func(t *testing.T) {
		p, err := openai.New("", &openai.Options{BaseURL: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Connect(t.Context(), s2s.SessionOptions{})
		if !errors.Is(err, s2s.ErrUnavailable) || !strings.Contains(err.Error(), "base_url") {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("refused_beginning", func(t *testing.T) {
		server := fakerealtime.Start(t, fakerealtime.Script{Beta: true})
		p, err := openai.New(fakerealtime.Key, &openai.Options{BaseURL: server.URL()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Connect(t.Context(), s2s.SessionOptions{}); !errors.Is(err, s2s.ErrRejected) || !strings.Contains(err.Error(), "Unknown parameter") {
			t.Errorf("err = %v, want the service's reason", err)
		}
	})
}
