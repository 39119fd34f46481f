package chain_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/chain"
)

// cold is a provider whose connection takes a while to open.
type cold struct {
	tts.Provider
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
type plain struct{ tts.Provider }

func TestWarm(t *testing.T) {
	refused := errors.New("connection refused")
	for _, row := range []struct {
		name  string
		links []chain.Link
		took  time.Duration
		err   error
		names []string // in the error
	}{
		{"no links", nil, 0, nil, nil},
		{"nothing to warm", []chain.Link{{Name: "a", Provider: plain{}}}, 0, nil, nil},
		{"side by side", []chain.Link{{Name: "a", Provider: cold{takes: time.Second}}, {Name: "b", Provider: plain{}}, {Name: "c", Provider: cold{takes: 2 * time.Second}}}, 2 * time.Second, nil, nil},
		{"one that fails holds up nobody", []chain.Link{{Name: "a", Provider: cold{err: refused}}, {Name: "b", Provider: cold{takes: time.Second}}}, time.Second, refused, []string{"a: "}},
		{"too slow", []chain.Link{{Name: "a", Provider: cold{takes: time.Hour}}, {Name: "b", Provider: cold{takes: time.Hour}}}, 5 * time.Second, context.DeadlineExceeded, []string{"a: ", "b: "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				err := chain.New(row.links, nil).Warm(ctx)
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
