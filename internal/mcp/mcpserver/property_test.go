package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// counted are tools that count how often they ran.
type counted struct {
	mu   sync.Mutex // guards runs
	runs map[string]int
}

func (c *counted) tool(name, permission string, reads bool) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name, Description: "Counts.", EstimatedDurationMs: 1},
		Permission: permission, ReadOnly: reads,
		Handler: func(context.Context, string) (string, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.runs[name]++
			return `{}`, nil
		},
	}
}

// flow is a workflow that calls tools in turn.
func flow(name string, steps ...string) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name}, Kind: tools.KindWorkflow, Composite: true, Needs: steps,
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

// small is a registry behind one policy, without a world.
type small struct {
	host   *mcphost.Host
	policy *access.Engine
	server *mcpserver.Server
	counted
}

func newSmall(t *testing.T, o access.Options, compact, prefixed bool) *small {
	s := &small{counted: counted{runs: map[string]int{}}}
	var err error
	if s.policy, err = access.New(o); err != nil {
		t.Fatalf("making the policy: %v", err)
	}
	gate := access.NewGate(s.policy, nil, nil)
	s.host = mcphost.New(mcphost.WithGate(gate))
	for _, def := range []mcphost.BuiltinTool{
		s.tool("roll", access.DiceRoll, true), s.tool("recall", access.MemoryRead, true), s.tool("look", access.WorldRead, true),
		s.tool("write_note", access.FilesWrite, false), s.tool("move_thing", access.WorldWrite, false),
		s.tool("foreign", "", true), workflow.Batch(),
	} {
		if err := s.host.RegisterBuiltin(def); err != nil {
			t.Fatalf("registering: %v", err)
		}
	}
	if err := s.host.ReplaceWorkflows(flow("both", "roll", "write_note"), flow("reads", "roll", "recall"), flow("outer", "both")); err != nil {
		t.Fatalf("registering workflows: %v", err)
	}
	s.server = mcpserver.New(s.host, mcpserver.Options{Policy: s.policy, Gate: gate, Compact: compact, Prefixed: prefixed})
	return s
}

func (s *small) close(t *testing.T) {
	if err := s.host.Close(); err != nil {
		t.Fatalf("closing: %v", err)
	}
}

// names are all registered names.
var names = []string{"batch", "both", "foreign", "look", "move_thing", "outer", "reads", "recall", "roll", "write_note"}

func drawOptions(t *rapid.T) access.Options {
	o := access.Options{
		Profiles: map[string]config.Profile{"own": {Permissions: rapid.SliceOfNDistinct(rapid.SampledFrom(access.Permissions()), 0, 6, rapid.ID[string]).Draw(t, "own")}},
		ReadOnly: rapid.Bool().Draw(t, "read_only"),
		Limits:   config.Limits{Burst: 1_000_000, PerSecond: 1_000_000},
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "rules") {
		o.Rules = append(o.Rules, drawRule(t, string(rune('a'+i))))
	}
	return o
}

func drawRule(t *rapid.T, name string) config.Rule {
	r := config.Rule{
		Name:  name,
		Kind:  rapid.SampledFrom([]string{config.RuleToolRestriction, config.RuleTimeWindow, config.RulePermissionOverride, config.RuleRateLimit}).Draw(t, "kind"),
		Who:   rapid.SampledFrom([][]string{nil, {"ann"}, {"npc:*"}, {"a*", "npc:bart"}, {"zoe"}}).Draw(t, "who"),
		Tools: rapid.SliceOfN(rapid.SampledFrom([]string{"*", "roll", "write_*", "r*", "batch", "both", "*_tools", "ghost"}), 1, 2).Draw(t, "tools"),
	}
	switch r.Kind {
	case config.RuleTimeWindow:
		clocks := rapid.Permutation([]string{"00:00", "01:30", "12:00", "23:59"}).Draw(t, "clocks")
		r.From, r.To = clocks[0], clocks[1]
	case config.RulePermissionOverride:
		r.Grant = []string{rapid.SampledFrom(access.Permissions()).Draw(t, "grant")}
		if p := rapid.SampledFrom(access.Permissions()).Draw(t, "revoke"); p != r.Grant[0] {
			r.Revoke = []string{p}
		}
		r.Until = rapid.SampledFrom([]string{"", "2000-01-01T12:00:00Z", "1999-01-01T00:00:00Z"}).Draw(t, "until")
	case config.RuleRateLimit:
		r.Calls, r.Window = rapid.IntRange(1, 3).Draw(t, "calls"), config.Duration(time.Hour)
	}
	return r
}

// trial is who tries what under which policy, drawn at random.
type trial struct {
	options           access.Options
	compact, prefixed bool
	after             time.Duration
	client, profile   string
	allow, calls      []string
	parallel          bool
}

func drawTrial(t *rapid.T) trial {
	profiles := []string{"own"}
	for _, p := range access.BuiltinProfiles() {
		profiles = append(profiles, p.Name)
	}
	return trial{
		options: drawOptions(t), compact: rapid.Bool().Draw(t, "compact"), prefixed: rapid.Bool().Draw(t, "prefixed"),
		after:    time.Duration(rapid.IntRange(0, 48*60).Draw(t, "minute")) * time.Minute,
		client:   rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "client"),
		profile:  rapid.SampledFrom(profiles).Draw(t, "profile"),
		allow:    rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, "allow"),
		calls:    rapid.SliceOfN(rapid.SampledFrom(names), 1, 20).Draw(t, "calls"),
		parallel: rapid.Bool().Draw(t, "parallel"),
	}
}

// local is the trial's client in this process.
func (tr trial) local(s *small) *mcpserver.Local {
	p, _ := s.policy.Profile(tr.profile)
	return s.server.Local(&access.Subject{Name: tr.client, Profile: p, Transport: "test"})
}

// TestListedIsCallable draws policies, callers and times of day, and holds
// every tool's listing against its calling, for clients and for NPCs.
func TestListedIsCallable(t *testing.T) {
	shown, hidden := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		tr := drawTrial(rt)
		synctest.Test(t, func(t *testing.T) {
			s := newSmall(t, tr.options, tr.compact, tr.prefixed)
			defer s.close(t)
			time.Sleep(tr.after)
			client := tr.local(s)
			listed := map[string]bool{}
			for _, tool := range client.Tools(t.Context()) {
				listed[tool.Name] = true
			}
			tried := append([]string{"ghost", "", "search_tools", "list_programs", "invoke_program", "skill:search_tools"}, names...)
			for _, n := range names {
				tried = append(tried, "skill:"+n, "workflow:"+n)
			}
			for _, name := range tried {
				_, _, err := client.Call(t.Context(), name, "{}")
				if callable := !errors.Is(err, mcp.ErrUnknownTool); callable != listed[name] {
					rt.Errorf("%q: callable is %v, listed is %v (%v)", name, callable, listed[name], err)
				}
			}
			shown, hidden = shown+len(listed), hidden+len(tried)-len(listed)
			s.checkNPC(t, rt, tr.allow)
		})
	})
	if shown == 0 || hidden == 0 {
		t.Errorf("%d names were listed, %d were not; the draws show nothing", shown, hidden)
	}
}

// checkNPC holds an NPC's toolset against what it executes.
func (s *small) checkNPC(t *testing.T, rt *rapid.T, allow []string) {
	caller := mcp.Caller{NPC: "bart"}
	set := s.host.Toolset(mcphost.ToolsetOptions{Allow: allow, Tier: mcp.BudgetDeep, Caller: caller})
	var listed []string
	for _, d := range set.Definitions() {
		listed = append(listed, d.Name)
	}
	ctx := mcp.WithCaller(t.Context(), caller)
	for _, name := range append([]string{"ghost"}, names...) {
		_, err := set.Execute(ctx, name, "{}")
		if refused := mcp.CodeOf(err) == mcp.CodeForbidden; refused == slices.Contains(listed, name) {
			rt.Errorf("NPC, %q: refused is %v, listed is %v (%v)", name, refused, !refused, err)
		}
	}
}

// limited reports whether a rule limits rates: then what is done depends on the
// order of the calls, which a parallel batch does not have.
func (tr trial) limited() bool {
	return slices.ContainsFunc(tr.options.Rules, func(r config.Rule) bool { return r.Kind == config.RuleRateLimit })
}

// TestBatchGetsNothingMoreDone makes the same calls one by one under one
// policy and in a batch under an equal one: no tool runs more often in the
// batch.
func TestBatchGetsNothingMoreDone(t *testing.T) {
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		tr := drawTrial(rt)
		synctest.Test(t, func(t *testing.T) {
			one, all := newSmall(t, tr.options, false, false), newSmall(t, tr.options, false, false)
			defer one.close(t)
			defer all.close(t)
			time.Sleep(tr.after)
			var operations []map[string]string
			for _, name := range tr.calls {
				_, _, _ = tr.local(one).Call(t.Context(), name, "{}") // what it did is counted
				operations = append(operations, map[string]string{"tool": name})
			}
			args, err := json.Marshal(map[string]any{"operations": operations, "parallel": tr.parallel && !tr.limited()})
			if err != nil {
				t.Fatal(err)
			}
			_, _, _ = tr.local(all).Call(t.Context(), "batch", string(args))
			synctest.Wait()
			single, batched := one.counts(), all.counts()
			for name, n := range batched {
				ran += n
				if n > single[name] {
					rt.Errorf("%s ran %d times in a batch, %d times by single calls", name, n, single[name])
				}
			}
		})
	})
	if ran == 0 {
		t.Error("no batch ran anything; the draws show nothing")
	}
}

// counts are how often each tool ran.
func (c *counted) counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.runs)
}
