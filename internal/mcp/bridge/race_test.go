package bridge_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// TestEverythingAtOnce makes all calls of a bridge concurrently, 10,000 times: each tool
// call is answered once, and nothing is left running.
func TestEverythingAtOnce(t *testing.T) {
	const sittings = 10_000
	h := newHost(t, tool("a", 5, answer("a")), tool("slow", 900, answer("s")), tool("hangs", 5, takes(time.Hour)))
	stop := changeRegistry(t, h)
	defer stop()
	for i := range sittings {
		if t.Context().Err() != nil || t.Failed() {
			return
		}
		sitAtOnce(t, h, i)
	}
}

// changeRegistry adds and removes a tool until it is stopped.
func changeRegistry(t *testing.T, h *mcphost.Host) (stop func()) {
	done := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Microsecond):
			}
			var defs []mcphost.BuiltinTool
			if i%2 == 0 {
				defs = append(defs, passing("goes"))
			}
			if err := h.ReplaceWorkflows(defs...); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return func() { close(done); work.Wait() }
}

// sitAtOnce opens a bridge, uses it from several goroutines and closes it.
func sitAtOnce(t *testing.T, h *mcphost.Host, number int) {
	s := &session{}
	b, err := bridge.NewBridge(h, s, mcp.BudgetFast)
	if err != nil {
		t.Error(err)
		return
	}
	ctx := context.Background()
	ids := []string{"0", "1", "2", "3", "4", "5"}
	taken := make([]bool, len(ids))
	var work sync.WaitGroup
	work.Go(func() { // the session's receive loop
		for i, id := range ids {
			taken[i] = s.call(id, []string{"a", "slow", "goes", "hangs", "ghost", "a"}[(i+number)%6], "{}")
			if i%3 == 2 {
				b.EndGeneration()
			}
		}
	})
	work.Go(func() { // the engine
		for range 2 {
			ts := h.Toolset(mcphost.ToolsetOptions{Allow: h.Names(), Tier: mcp.BudgetDeep})
			if err := b.BeginTurn(ctx, ts, 1, func(engine.Event) {}); err != nil {
				break
			}
			b.CancelCalls(ids[number%len(ids)])
			if number%3 > 0 {
				b.EndTurn()
			}
		}
	})
	work.Go(func() { // the DM
		for _, tier := range mcp.Tiers() {
			if b.UpdateTier(ctx, tier) != nil {
				break
			}
		}
	})
	work.Go(func() {
		time.Sleep(time.Duration(rand.IntN(60)) * time.Microsecond)
		b.Close()
	})
	work.Wait()
	for i, id := range ids {
		if answers := s.answersTo(id); (answers == 1) != taken[i] {
			t.Error(fmt.Errorf("sitting %d: call %s was answered %d times, taken = %v", number, id, answers, taken[i]))
		}
	}
}

func (s *session) answersTo(id string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.answers {
		if r.ID == id {
			n++
		}
	}
	return n
}
