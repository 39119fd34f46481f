package providers

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// slowly is a provider that opens its connections slowly.
type slowly struct {
	takes time.Duration
	err   error
}

func (s slowly) Warm(ctx context.Context) error {
	select {
	case <-time.After(s.takes):
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestWarmIsBounded(t *testing.T) {
	for _, row := range []struct {
		name  string
		parts []any
		took  time.Duration
	}{
		{"nothing to warm", []any{nil, "offline"}, 0},
		{"side by side", []any{slowly{takes: time.Second}, "offline", slowly{takes: 2 * time.Second}}, 2 * time.Second},
		{"one that fails", []any{slowly{err: errors.New("refused")}, slowly{takes: time.Second}}, time.Second},
		{"one that hangs", []any{slowly{takes: time.Hour}, slowly{}}, warmTime},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				Warm(t.Context(), slog.New(slog.DiscardHandler), row.parts...)
				if took := time.Since(start); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
			})
		})
	}
}
