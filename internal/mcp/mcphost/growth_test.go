package mcphost

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

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
			if s.Tier != 0 || int32(s.Tier) != host.snap.Load().lookup(s.Name).listed.Load() {
				t.Fatalf("%s is in %v, listed in %d; want FAST in both", s.Name, s.Tier, host.snap.Load().lookup(s.Name).listed.Load())
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
