package mcphost

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestDamagedLatenciesDoNotStopTheStart(t *testing.T) {
	keeper := newMemoryKeeper()
	if err := keeper.SaveState(t.Context(), "tool latency/here", map[string][]byte{"far/a": []byte("not json"), "far/b": []byte("[5,6,7]")}); err != nil {
		t.Fatal(err)
	}
	h := New(WithKeeper(keeper, "here"))
	defer h.Close()
	if err := h.Restore(t.Context()); err != nil {
		t.Error(err)
	}
	if m := h.stats["far/b"].measure(); m.Successes != 3 {
		t.Errorf("the latency that can be read has %d samples, want 3", m.Successes)
	}
}

// A restart neither forgets that a tool fails nor keeps it from healing.
func TestDemotionOutlivesTheHost(t *testing.T) {
	for _, row := range []struct {
		name     string
		mayProbe bool
	}{{"healed_by_probes", true}, {"healed_by_trial", false}} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var broken atomic.Bool
				broken.Store(true)
				keeper := newMemoryKeeper()
				start := func() *Host {
					h := New(WithKeeper(keeper, "here"))
					err := errors.Join(h.Restore(t.Context()), h.RegisterBuiltin(BuiltinTool{
						Definition: llm.ToolDefinition{Name: "moody", Idempotent: true, Parameters: map[string]any{"type": "object"}},
						ReadOnly:   row.mayProbe, DeclaredP50: 5,
						Handler: func(context.Context, string) (string, error) {
							if broken.Load() {
								return "", errors.New("out of order")
							}
							return "{}", nil
						},
					}))
					if err != nil {
						t.Fatal(err)
					}
					return h
				}
				see := func(h *Host, state string, tier mcp.BudgetTier, samples int) {
					t.Helper()
					if s := h.Status()[0]; s.State != state || s.Tier != tier || s.Samples != samples {
						t.Errorf("the tool is %s, %v, with %d samples; want %s, %v, %d", s.State, s.Tier, s.Samples, state, tier, samples)
					}
				}
				h := start()
				if err := h.Calibrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				for range 5 {
					if row.mayProbe {
						break // calibration was enough
					}
					if _, err := h.ExecuteTool(t.Context(), "moody", ""); err == nil {
						t.Fatal("a failing tool succeeds")
					}
				}
				calls := h.Status()[0].Samples
				see(h, "demoted", mcp.BudgetStandard, calls)
				stop(t, h)

				h = start()
				see(h, "demoted", mcp.BudgetStandard, calls)
				stop(t, h)

				h = start()
				broken.Store(false)
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if !row.mayProbe {
					see(h, "on trial", mcp.BudgetFast, calls)
					if _, err := h.ExecuteTool(t.Context(), "moody", ""); err != nil {
						t.Fatal(err)
					}
				}
				healed := h.Status()[0].Samples
				if s := h.Status()[0]; s.State != "ready" || s.ErrorRate != 0 {
					t.Errorf("after healing: %+v", s)
				}
				stop(t, h)

				h = start()
				see(h, "ready", mcp.BudgetFast, healed)
				stop(t, h)
			})
		})
	}
}
