package mcphost_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func TestCircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{CallTimeout: config.Duration(time.Second)})
		f.add("look", false, after(time.Millisecond))
		f.add("fail", false, func(context.Context) (*sdk.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: -32000, Message: "no"}
		})
		f.connect()
		for range 50 {
			if _, err := f.host.ExecuteTool(t.Context(), "fail", ""); err == nil {
				t.Fatal("a failing tool succeeds")
			}
		}
		if s := f.status(); s.State != "ready" || s.Failures != 0 {
			t.Errorf("after 50 errors of a tool: %+v", s)
		}
		f.muffled.Store(true)
		for i := range 3 {
			if _, err := f.host.ExecuteTool(t.Context(), "look", ""); !errors.Is(err, mcp.ErrTimeout) {
				t.Errorf("err = %v, want ErrTimeout", err)
			}
			if s := f.status(); s.Failures != i+1 || s.State != "ready" {
				t.Errorf("after %d calls lost: %+v", i+1, s)
			}
		}
		f.away.Store(true)
		time.Sleep(mcphost.DoubtPing)
		synctest.Wait()
		if s := f.status(); s.State != "down" || !strings.Contains(s.Reason, "does not answer a ping") || f.lists(mcp.BudgetDeep) != "" {
			t.Errorf("after a ping in vain: %+v", s)
		}
		time.Sleep(time.Hour)
		f.muffled.Store(false)
		f.away.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s := f.status(); s.State != "ready" || s.Connects != 2 || s.Failures != 0 || s.Reason != "" {
			t.Errorf("after its return: %+v", s)
		}
	})
}

func TestSilentServerIsNoticedWithoutCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		f.add("look", false, after(time.Millisecond))
		f.connect()
		f.muffled.Store(true)
		f.away.Store(true)
		time.Sleep(mcphost.PulseInterval + mcphost.PulsePing)
		synctest.Wait()
		if s := f.status(); s.State != "down" {
			t.Errorf("status = %+v, want down", s)
		}
	})
}

func TestAttemptsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		f.away.Store(true)
		if err := f.register(); !errors.Is(err, mcp.ErrUnavailable) {
			t.Fatalf("err = %v, want ErrUnavailable", err)
		}
		time.Sleep(10 * time.Second)
		f.mu.Lock()
		defer f.mu.Unlock()
		want := mcphost.FirstRetry
		for i := 1; i < len(f.dials); i++ {
			gap := f.dials[i].Sub(f.dials[i-1])
			if float64(gap) < 0.8*float64(want) || float64(gap) > 1.2*float64(want) {
				t.Errorf("wait %d = %v, want %v ± 20 %%", i, gap, want)
			}
			want = min(2*want, mcphost.LastRetry)
		}
		if len(f.dials) < 8 {
			t.Errorf("%d attempts in 10 s", len(f.dials))
		}
	})
}

func TestRecalibrationFollowsATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{}, mcphost.WithRecalibration(time.Minute))
		var ms atomic.Int64
		ms.Store(5)
		f.add("look", true, func(ctx context.Context) (*sdk.CallToolResult, error) {
			return after(time.Duration(ms.Load()) * time.Millisecond)(ctx)
		})
		f.connect()
		time.Sleep(90 * time.Second)
		if got := f.lists(mcp.BudgetFast); got != "look" {
			t.Errorf("FAST after a minute = %q, want look", got)
		}
		ms.Store(2000)
		time.Sleep(5 * time.Minute)
		if s := f.tool("look"); s.Tier != mcp.BudgetDeep {
			t.Errorf("after it became slow: %+v", s)
		}
		if s := f.status(); s.Connects != 1 {
			t.Errorf("server = %+v", s)
		}
	})
}

// What a server answers to a probe counts for the tool's health, unless it turns
// down arguments that were made up.
func TestHealthSeesWhatCalibrationSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		answers := func(name, property, text string, code int64) {
			input := map[string]any{"type": "object"}
			if property != "" {
				input = map[string]any{
					"type": "object", "properties": map[string]any{property: map[string]any{"type": "string"}}, "required": []string{property},
				}
			}
			f.AddTool(&sdk.Tool{Name: name, InputSchema: input, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}, Meta: sdk.Meta{mcphost.MetaEstimated: 5}},
				func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					if code != 0 {
						return nil, &jsonrpc.Error{Code: code, Message: text}
					}
					return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
				})
		}
		answers("dry", "", "the well is dry", 0)
		answers("dry_well", "depth", "the well is dry", 0)
		answers("no_city", "city", `there is no such city: "a"`, 0)
		answers("odd_city", "city", "city makes no sense to me", 0)
		answers("picky", "city", "give me another", jsonrpc.CodeInvalidParams)
		f.connect()
		if err := f.host.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"dry", "dry_well"} {
			if s := f.tool(name); s.State != "demoted" || s.Tier != mcp.BudgetStandard || s.Samples != 3 || s.ErrorRate != 1 {
				t.Errorf("%s = %+v, want three failures seen and the tool demoted", name, s)
			}
		}
		for _, name := range []string{"no_city", "odd_city", "picky"} {
			if s := f.tool(name); s.State != "ready" || s.Tier != mcp.BudgetFast || s.Samples != 0 || s.Probe == "" {
				t.Errorf("%s = %+v, want it ready, without samples, and the reason", name, s)
			}
		}
		if got := f.lists(mcp.BudgetFast); got != "no_city odd_city picky" {
			t.Errorf("FAST = %q", got)
		}
	})
}

// A tool that rejects its probe cannot prove itself by probes.
func TestToolThatRejectsItsProbeHealsByTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		input := map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}}
		f.AddTool(&sdk.Tool{Name: "weather", InputSchema: input, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}, Meta: sdk.Meta{mcphost.MetaEstimated: 5}},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				switch string(r.Params.Arguments) {
				case `{"city":"Baldur's Gate"}`:
					return says("rain")
				case `{"city":"Waterdeep"}`:
					return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "the oracle sleeps"}}}, nil
				}
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such city"}
			})
		f.connect()
		for range 5 {
			if res, err := f.host.ExecuteTool(t.Context(), "weather", `{"city":"Waterdeep"}`); err != nil || !res.IsError {
				t.Fatalf("%+v, %v", res, err)
			}
		}
		if s := f.tool("weather"); s.State != "demoted" {
			t.Errorf("after five failures: %+v", s)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s := f.tool("weather"); s.State != "on trial" || s.Tier != mcp.BudgetFast {
			t.Errorf("after a probe in vain: %+v, want it on trial", s)
		}
		if _, err := f.host.ExecuteTool(t.Context(), "weather", `{"city":"Baldur's Gate"}`); err != nil {
			t.Fatal(err)
		}
		if s := f.tool("weather"); s.State != "ready" {
			t.Errorf("after a success: %+v", s)
		}
	})
}

func TestSleepAndWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{IdleSleep: config.Duration(time.Minute)}, mcphost.WithRecalibration(40*time.Second))
		f.add("look", true, after(time.Millisecond))
		f.connect()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if s := f.status(); s.State != "asleep" || s.Connects != 1 || s.Tools != 1 {
			t.Errorf("after two minutes without a call: %+v, want it asleep with its tools, whatever measures", s)
		}
		if s := f.tool("look"); s.State != "asleep" || f.lists(mcp.BudgetDeep) != "look" {
			t.Errorf("the tool of a sleeping server: %+v", s)
		}
		probes := f.calls.Load()
		time.Sleep(10 * time.Minute)
		if s := f.status(); s.Connects != 1 || f.calls.Load() != probes {
			t.Errorf("%+v: measuring wakes it", s)
		}
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if _, err := f.host.ExecuteTool(t.Context(), "look", ""); err != nil {
					t.Errorf("waking call: %v", err)
				}
			})
		}
		group.Wait()
		if s := f.status(); s.State != "ready" || s.Connects != 2 {
			t.Errorf("after five calls at once: %+v, want it woken once", s)
		}
		time.Sleep(59 * time.Second)
		if s := f.status(); s.State != "ready" {
			t.Errorf("59 s after a call: %+v", s)
		}
		time.Sleep(time.Minute)
		f.away.Store(true)
		if _, err := f.host.ExecuteTool(t.Context(), "look", ""); !errors.Is(err, mcp.ErrUnavailable) {
			t.Errorf("waking one that is gone = %v, want ErrUnavailable", err)
		}
		if got := f.lists(mcp.BudgetDeep); got != "" {
			t.Errorf("a server that cannot be woken lists %q", got)
		}
	})
}

func TestCallsAndSleepDoNotCollide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{IdleSleep: config.Duration(time.Second)})
		f.add("act", false, after(0))
		f.connect()
		for i := range 200 {
			time.Sleep(time.Second - time.Microsecond + time.Duration(i%3)*time.Microsecond)
			if _, err := f.host.ExecuteTool(t.Context(), "act", ""); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		if got := f.calls.Load(); got != 200 {
			t.Errorf("%d calls arrived, want 200", got)
		}
	})
}

func TestToolsStayTheSameOverListings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		f.add("a", true, after(0))
		f.connect()
		ts := f.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"a"}, Tier: mcp.BudgetDeep})
		for i := range 5 {
			f.add(fmt.Sprint("b", i), true, after(0))
			time.Sleep(5 * time.Second)
		}
		if got := len(f.host.Names()); got != 6 {
			t.Errorf("%d tools after five were added, want 6", got)
		}
		if _, err := ts.Execute(t.Context(), "a", ""); err != nil {
			t.Errorf("a toolset lost a tool that did not change: %v", err)
		}
		f.RemoveTools("a")
		time.Sleep(5 * time.Second)
		if _, err := ts.Execute(t.Context(), "a", ""); !errors.Is(err, mcp.ErrUnavailable) {
			t.Errorf("a tool that was removed = %v, want ErrUnavailable", err)
		}
	})
}
