package mcphost_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// warden refuses some tools and writes down what it is told.
type warden struct {
	refuse []string
	hide   []string

	mu     sync.Mutex
	told   []string
	caller mcp.Caller
}

func (w *warden) Permits(_ context.Context, t mcp.Target) error {
	if slices.Contains(w.hide, t.Tool) {
		return &mcp.Refusal{Code: mcp.CodeForbidden, Reason: "not for you"}
	}
	return nil
}

func (w *warden) Admit(_ context.Context, c *mcp.Call) error {
	if slices.Contains(w.refuse, c.Tool) {
		return &mcp.Refusal{Code: mcp.CodeForbidden, Reason: "not today"}
	}
	return nil
}

func (w *warden) Record(_ context.Context, c *mcp.Call, _ mcp.Result, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	code := mcp.CodeOf(err)
	if code == "" {
		code = "ok"
	}
	w.told = append(w.told, c.Tool+" "+string(code))
	w.caller = c.Caller
}

func leaf(name string) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name, EstimatedDurationMs: 1}, Permission: "dice.roll", ReadOnly: true,
		Handler: func(context.Context, string) (string, error) { return `{"ok":true}`, nil },
	}
}

// chain is a workflow that calls the named tools in turn.
func chain(name string, steps ...string) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name}, Kind: tools.KindWorkflow, Needs: steps,
		Expected: func() time.Duration { return time.Millisecond },
		Handler: func(ctx context.Context, _ string) (string, error) {
			for _, s := range steps {
				if _, err := mcp.Through(ctx, s, "{}"); err != nil {
					return "", err
				}
			}
			return `{}`, nil
		},
	}
}

func governed(t *testing.T, w *warden, defs ...mcphost.BuiltinTool) *mcphost.Host {
	t.Helper()
	h := mcphost.New(mcphost.WithGate(w))
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, d := range defs {
		if err := h.RegisterBuiltin(d); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestEveryCallPassesTheGate(t *testing.T) {
	w := &warden{refuse: []string{"b"}}
	h := governed(t, w, leaf("a"), leaf("b"), chain("both", "a", "b"))
	ctx := mcp.WithCaller(t.Context(), mcp.Caller{NPC: "bart"})
	set := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a", "b", "both"}, Tier: mcp.BudgetDeep})
	for _, call := range []struct {
		name, args string
		run        func(context.Context, string, string) (mcp.Result, error)
		want       error
	}{
		{name: "a", run: h.ExecuteTool},
		{name: "a", args: "[]", run: set.Execute, want: mcp.ErrInvalidArguments},
		{name: "b", run: set.Execute, want: mcp.ErrNotAllowed},
		{name: "both", run: set.Execute, want: mcp.ErrNotAllowed},
	} {
		if _, err := call.run(ctx, call.name, call.args); !errors.Is(err, call.want) {
			t.Errorf("calling %s %s = %v, want %v", call.name, call.args, err, call.want)
		}
	}
	want := []string{"a ok", "a invalid_input", "b forbidden", "a ok", "b forbidden", "both forbidden"}
	if diff := cmp.Diff(want, w.told); diff != "" {
		t.Errorf("what the gate was told (-want +got):\n%s", diff)
	}
	if w.caller.NPC != "bart" {
		t.Errorf("caller = %+v, want bart", w.caller)
	}
	if s := h.Status(); s[0].ErrorRate != 0 || s[1].Samples != 0 {
		t.Errorf("status = %+v: refused calls and rejected arguments say nothing of a tool", s)
	}
}

func TestWorkflowsNeedTheirTools(t *testing.T) {
	h := governed(t, &warden{}, leaf("a"))
	slow := leaf("slow")
	slow.Floor = mcp.BudgetStandard
	if err := h.RegisterBuiltin(slow); err != nil {
		t.Fatal(err)
	}
	if err := h.ReplaceWorkflows(chain("quick", "a"), chain("heavy", "a", "slow"), chain("orphan", "gone"), chain("outer", "heavy")); err != nil {
		t.Fatal(err)
	}
	names := func(defs []llm.ToolDefinition) (all []string) {
		for _, d := range defs {
			all = append(all, d.Name)
		}
		return all
	}
	if diff := cmp.Diff([]string{"a", "quick"}, names(h.AvailableTools(mcp.BudgetFast))); diff != "" {
		t.Errorf("fast tools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "heavy", "outer", "quick", "slow"}, names(h.AvailableTools(mcp.BudgetStandard))); diff != "" {
		t.Errorf("standard tools (-want +got):\n%s", diff)
	}
	set := func(allow ...string) []string {
		return names(h.Toolset(mcphost.ToolsetOptions{Allow: allow, Tier: mcp.BudgetDeep}).Definitions())
	}
	if diff := cmp.Diff([]string{"a", "quick"}, set("quick", "a", "outer", "heavy")); diff != "" {
		t.Errorf("a toolset lists a workflow without its tools (-want +got):\n%s", diff)
	}
	tool, ok := h.Tool("outer")
	if !ok || tool.Source != mcp.SourceWorkflow || len(tool.Target.Needs) != 1 || len(tool.Target.Needs[0].Needs) != 2 || tool.Target.Permission != "" {
		t.Errorf("outer = %+v, %v, want the targets it needs", tool.Target, ok)
	}
	if _, err := h.ExecuteTool(t.Context(), "outer", "{}"); err != nil {
		t.Errorf("the operator's call = %v", err)
	}
	if err := h.ReplaceWorkflows(chain("a")); err == nil {
		t.Error("a workflow took a tool's name")
	}
	if err := h.ReplaceWorkflows(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "slow"}, h.Names()); diff != "" {
		t.Errorf("names after replacing (-want +got):\n%s", diff)
	}
}

func TestToolsetsHideWhatTheGateDoes(t *testing.T) {
	h := governed(t, &warden{hide: []string{"b"}}, leaf("a"), leaf("b"))
	set := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a", "b"}, Tier: mcp.BudgetDeep, Caller: mcp.Caller{NPC: "bart"}})
	if defs := set.Definitions(); len(defs) != 1 || defs[0].Name != "a" {
		t.Errorf("definitions = %+v, want a alone", defs)
	}
	if _, err := set.Execute(t.Context(), "b", "{}"); !errors.Is(err, mcp.ErrNotAllowed) {
		t.Errorf("calling b = %v, want ErrNotAllowed", err)
	}
}

func TestRichAnswers(t *testing.T) {
	picture := leaf("picture")
	picture.Handler = nil
	picture.Respond = func(context.Context, string) (mcp.Result, error) {
		return mcp.Result{Text: "a map", Content: []mcp.Content{{Type: "image", Data: []byte{1}, MIMEType: "image/png"}}}, nil
	}
	h := governed(t, &warden{}, picture)
	res, err := h.ExecuteTool(t.Context(), "picture", "{}")
	if err != nil || len(res.Content) != 1 || res.Duration <= 0 {
		t.Errorf("picture = %+v, %v", res, err)
	}
}
