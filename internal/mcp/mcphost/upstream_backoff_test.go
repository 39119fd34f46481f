package mcphost

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestBackoffKnowsWhatAttemptsCost(t *testing.T) {
	for _, row := range []struct {
		name    string
		cost    time.Duration
		refused bool
		limit   time.Duration
	}{
		{"a refused connection", time.Millisecond, false, lastRetry},
		{"a program that starts and dies", 300 * time.Millisecond, false, 6 * time.Second},
		{"a server that hangs", 10 * time.Second, false, longestRetry},
		{"a server that turns us away", time.Millisecond, true, longestRetry},
	} {
		var b backoff
		var last time.Duration
		for range 20 {
			last = b.wait(row.cost, row.refused)
		}
		if float64(last) < 0.8*float64(row.limit) || float64(last) > 1.2*float64(row.limit) {
			t.Errorf("%s: the wait grows to %v, want %v ± 20 %%", row.name, last, row.limit)
		}
	}
}

// Whoever is told that the session is gone waits until that is seen, however
// late: a second call over the same connection would be lost as well.
func TestLossIsSeenLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewServer(config.MCPServerConfig{Name: "far"}, nil, ServerOptions{Dial: func(context.Context, config.MCPServerConfig) (*ServerConn, error) {
			return nil, errors.New("nobody there")
		}})
		if err != nil {
			t.Fatal(err)
		}
		old, anew := &link{ended: make(chan struct{})}, &link{ended: make(chan struct{})}
		s.live.Store(old)
		time.AfterFunc(time.Second, func() {
			s.live.Store(anew)
			close(old.ended)
		})
		back := s.AwaitReturn(t.Context(), fmt.Errorf("calling: %w", &connectionGoneError{sdk.ErrSessionMissing, old}))
		if l := s.live.Load(); !back || l != anew {
			t.Errorf("AwaitReturn = %v, new connection = %v; want both", back, l == anew)
		}
	})
}
