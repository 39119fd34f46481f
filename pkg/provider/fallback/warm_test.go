package fallback_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// cold is a provider that opens its connection slowly.
type cold struct {
	plain
	takes time.Duration
	err   error
}

func (c cold) Warm(ctx context.Context) error {
	select {
	case <-time.After(c.takes):
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// plain is a provider without connections.
type plain struct{}

func (plain) Name() string { return "plain" }

type link = fallback.Link[fallback.Provider]

func TestWarm(t *testing.T) {
	refused := errors.New("connection refused")
	for _, row := range []struct {
		name  string
		links []link
		took  time.Duration
		err   error
		names []string // names in the error
	}{
		{"no links", nil, 0, nil, nil},
		{"nothing to warm", []link{{Name: "a", Provider: plain{}}}, 0, nil, nil},
		{"side by side", []link{{Name: "a", Provider: cold{takes: time.Second}}, {Name: "b", Provider: plain{}}, {Name: "c", Provider: cold{takes: 2 * time.Second}}}, 2 * time.Second, nil, nil},
		{"one that fails holds up nobody", []link{{Name: "a", Provider: cold{err: refused}}, {Name: "b", Provider: cold{takes: time.Second}}}, time.Second, refused, []string{"a: "}},
		{"too slow", []link{{Name: "a", Provider: cold{takes: time.Hour}}, {Name: "b", Provider: cold{takes: time.Hour}}}, 5 * time.Second, context.DeadlineExceeded, []string{"a: ", "b: "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				err := fallback.New(row.links, fallback.Options{}).Warm(ctx)
				if took := time.Since(start); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
				if !errors.Is(err, row.err) {
					t.Errorf("err = %v, want %v", err, row.err)
				}
				for _, name := range row.names {
					if !strings.Contains(err.Error(), name) {
						t.Errorf("err = %v, want it to name %q", err, name)
					}
				}
			})
		})
	}
}

// model and voice are providers with connections.
type (
	model struct {
		llm.Provider
		cold
	}
	voice struct {
		tts.Provider
		cold
	}
)

func (model) Name() string { return "model" }
func (voice) Name() string { return "voice" }

// TestChainsWarm checks that chains open their providers' connections.
func TestChainsWarm(t *testing.T) {
	refused := errors.New("connection refused")
	for name, chain := range map[string]interface{ Warm(context.Context) error }{
		"model": llm.NewChain([]llm.Link{{Name: "a", Provider: model{cold: cold{err: refused}}}}, nil),
		"voice": tts.NewChain([]tts.Link{{Name: "a", Provider: voice{cold: cold{err: refused}}}}, nil),
	} {
		if err := chain.Warm(t.Context()); !errors.Is(err, refused) {
			t.Errorf("Warm of a chain with a %s = %v, want %v", name, err, refused)
		}
	}
}
