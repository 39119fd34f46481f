package mcphost

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// probed are n tools that calibration moves from STANDARD to FAST.
func probed(n int) []BuiltinTool {
	all := make([]BuiltinTool, n)
	for i := range all {
		all[i] = BuiltinTool{
			Definition: llm.ToolDefinition{Name: fmt.Sprint("tool_", i), Idempotent: true},
			Handler:    func(context.Context, string) (string, error) { return "{}", nil },
			ReadOnly:   true, Inline: true,
		}
	}
	return all
}

func TestCalibrationGathersWhatMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := New()
		defer host.Close()
		if err := host.RegisterBuiltin(probed(100)...); err != nil {
			t.Fatal(err)
		}
		time.Sleep(gatherTiers) // so that the first that moves is shown at once
		snapshots := 0
		changed := host.Changed()
		done := make(chan error, 1)
		go func() { done <- host.Calibrate(t.Context()) }()
		for running := true; running; {
			select {
			case <-changed:
				snapshots++
				changed = host.Changed()
			case err := <-done:
				if running = false; err != nil {
					t.Fatal(err)
				}
			}
		}
		if snapshots > 3 {
			t.Errorf("calibrating 100 tools made %d snapshots, want 3 at most", snapshots)
		}
		for _, s := range host.Status() {
			if s.Tier != 0 || int32(s.Tier) != host.snap.Load().lookup(s.Name).listedTier.Load() {
				t.Fatalf("%s is in %v, listed in %d; want FAST in both", s.Name, s.Tier, host.snap.Load().lookup(s.Name).listedTier.Load())
			}
		}
	})
}

func TestWhatMovesIsShownDuringCalibration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := New()
		defer host.Close()
		all := probed(2)
		all[1].Inline = false
		all[1].Handler = func(ctx context.Context, _ string) (string, error) {
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
			}
			return "{}", nil
		}
		if err := host.RegisterBuiltin(all...); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- host.Calibrate(t.Context()) }()
		time.Sleep(2 * gatherTiers)
		if tier := host.snap.Load().lookup("tool_0").tier; tier != 0 {
			t.Errorf("tool_0 is in %v while a slow one is still measured, want FAST", tier)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

func TestRegisteringManyIsAllOrNothing(t *testing.T) {
	host := New()
	defer host.Close()
	all := append(probed(3), probed(1)...)
	if err := host.RegisterBuiltin(all...); err == nil {
		t.Error("two tools of one name were registered")
	}
	if names := host.Names(); len(names) != 0 {
		t.Errorf("registered %v, want none", names)
	}
}

// TestOnlyWhatMovedIsReplaced holds that a change of one tool leaves the others what they
// were, and those that are made of it follow.
func TestOnlyWhatMovedIsReplaced(t *testing.T) {
	host := New()
	defer host.Close()
	all := probed(50)
	all[3].Handler = func(context.Context, string) (string, error) { return "", errors.New("no") }
	all[7].Needs, all[7].Composite = []string{"tool_3"}, true
	if err := host.RegisterBuiltin(all...); err != nil {
		t.Fatal(err)
	}
	before := host.snap.Load()
	for range demotionSamples {
		if _, err := host.ExecuteTool(t.Context(), "tool_3", "{}"); err == nil {
			t.Fatal("a failing tool succeeded")
		}
	}
	after := host.snap.Load()
	if after == before {
		t.Fatal("the snapshot was not replaced")
	}
	for i := range all {
		name := all[i].Definition.Name
		old, now := before.lookup(name), after.lookup(name)
		switch replaced := old != now; {
		case (i == 3 || i == 7) != replaced:
			t.Errorf("%s was replaced: %v", name, replaced)
		case replaced && now.tier != mcp.BudgetDeep:
			t.Errorf("%s is in %v, want DEEP", name, now.tier)
		}
	}
	if &before.Tools(mcp.BudgetDeep)[0] != &after.Tools(mcp.BudgetDeep)[0] {
		t.Error("the list of DEEP was made anew, which did not change")
	}
	if got := len(after.Tools(mcp.BudgetStandard)); got != 48 {
		t.Errorf("%d tools in STANDARD, want 48", got)
	}

	moved, _ := host.Registered("tool_3")
	same, _ := host.Registered("tool_4")
	if err := host.RegisterBuiltin(BuiltinTool{Definition: llm.ToolDefinition{Name: "more"}, Handler: all[0].Handler}); err != nil {
		t.Fatal(err)
	}
	if later, _ := host.Registered("tool_3"); later.Revision != moved.Revision || moved.Revision == same.Revision {
		t.Errorf("revisions = %d, then %d once another tool came; of one that did not move %d", moved.Revision, later.Revision, same.Revision)
	}
}
