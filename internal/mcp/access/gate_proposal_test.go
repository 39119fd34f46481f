package access_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// changing is a tool that changes the world and counts its calls.
func changing(name string, made *atomic.Int32) mcphost.BuiltinTool {
	t := tool(name, func(ctx context.Context) (string, error) {
		made.Add(1)
		return mcp.CallerFrom(ctx).Name(), nil
	})
	t.ReadOnly, t.Permission = false, access.WorldWrite
	return t
}

var bart = mcp.Caller{NPC: "bart", Session: "s1"}

func asBart(t *testing.T) context.Context { return mcp.WithCaller(t.Context(), bart) }

// latest returns the newest records, newest first.
func (d *fixture) latest(n int) []access.LogRecord {
	d.t.Helper()
	records, _, err := d.audit.Query(d.t.Context(), access.LogQuery{Limit: n})
	if err != nil || len(records) != n {
		d.t.Fatalf("records = %+v, %v, want %d", records, err, n)
	}
	return records
}

// TestAProposalIsMadeOnce has ten game masters decide at once on an NPC's proposal: it
// runs once if the first decision was to agree, and all others learn who was first.
func TestAProposalIsMadeOnce(t *testing.T) {
	var made atomic.Int32
	d := newFixture(t)
	d.add(changing("remove", &made))
	w := access.Waiting{Policy: d.policy, Host: d.host}
	set := d.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"remove"}, Tier: mcp.BudgetDeep, Caller: bart})
	for range 7 {
		made.Store(0)
		for range 2 { // repeating a call gives the same proposal
			_, err := set.Execute(asBart(t), "remove", "{}")
			if no, is := errors.AsType[*mcp.Refusal](err); !is || no.Code != mcp.CodePendingApproval || no.By != "proposal" {
				t.Fatalf("the call ended in %v, want a proposal", err)
			}
		}
		waiting := d.policy.Pending()
		if len(waiting) != 1 || !waiting[0].Proposed || waiting[0].Caller != "npc:bart" {
			t.Fatalf("waiting = %+v, want one proposal of bart", waiting)
		}
		id := waiting[0].ID
		var won, late atomic.Int32
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				got, err := w.Decide(t.Context(), id, true, "dm"+string(rune('0'+i)))
				before, decided := errors.AsType[*access.DecidedError](err)
				switch {
				case err == nil && got != nil && got.Result == "npc:bart": // runs with the NPC's rights
					won.Add(1)
				case decided && strings.HasPrefix(before.By, "dm") && before.Granted:
					late.Add(1)
				default:
					t.Errorf("Decide = %+v, %v", got, err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 || late.Load() != 9 || made.Load() != 1 {
			t.Fatalf("%d decided, %d were late, and it was made %d times; want 1, 9 and once", won.Load(), late.Load(), made.Load())
		}
	}
	if r := d.latest(1)[0]; r.Decision != access.Allowed || r.Who != "npc:bart" || r.Approval == "" || !strings.HasPrefix(r.DecidedBy, "dm") {
		t.Errorf("the call is recorded as %+v, want who agreed", r)
	}
}

// TestWhatAnNPCNeedNotPropose lists the calls that run at once, and those that do not.
func TestWhatAnNPCNeedNotPropose(t *testing.T) {
	var made atomic.Int32
	d := newFixture(t, config.Rule{Name: "ask", Kind: config.RuleApproval, Tools: []string{"ruled"}})
	own := changing("own", &made)
	own.Own = func(npc, args string) bool { return strings.Contains(args, npc) }
	private := changing("private", &made)
	private.KeepsWorld, private.Own = true, own.Own
	keeps := changing("keeps", &made)
	keeps.KeepsWorld = true
	for _, x := range []mcphost.BuiltinTool{own, private, keeps, changing("plain", &made), changing("ruled", &made), workflow.Batch()} {
		d.add(x)
	}
	d.add(mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "flow"}, Composite: true, Kind: tools.KindWorkflow, Needs: []string{"plain", "keeps"},
		Handler: func(ctx context.Context, _ string) (string, error) {
			_, err := mcp.Through(ctx, "plain", "{}")
			return "", err
		},
	})
	all := []string{"own", "private", "keeps", "plain", "ruled", "flow", "batch"}
	for _, row := range []struct {
		name, tool, args string
		may              []string
		proposed         bool
		rule             string
	}{
		{name: "changes the world", tool: "plain", proposed: true},
		{name: "nothing is its own", tool: "plain", may: all, proposed: true},
		{name: "keeps the world", tool: "keeps"},
		{name: "its own, not allowed", tool: "own", args: `{"id":"bart"}`, proposed: true},
		{name: "its own", tool: "own", args: `{"id":"bart"}`, may: all},
		{name: "another's", tool: "own", args: `{"id":"mill"}`, may: all, proposed: true},
		{name: "for itself alone", tool: "private", args: `{"id":"bart"}`},
		{name: "for others", tool: "private", args: `{"id":"mill"}`, may: all, proposed: true},
		{name: "under a rule", tool: "ruled", may: all, proposed: true, rule: "ask"},
		{name: "a workflow", tool: "flow", proposed: true},
		{name: "a workflow that the file allows", tool: "flow", may: []string{"flow"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			made.Store(0)
			set := d.host.Toolset(mcphost.ToolsetOptions{Allow: all, MayChange: row.may, Tier: mcp.BudgetDeep, Caller: bart})
			if got := set.Proposes(row.tool, row.args); got != row.proposed {
				t.Errorf("Proposes = %v, want %v", got, row.proposed)
			}
			_, err := set.Execute(asBart(t), row.tool, row.args)
			if (err != nil) != row.proposed || (made.Load() == 0) != row.proposed {
				t.Errorf("the call ended in %v after %d changes, want it proposed: %v", err, made.Load(), row.proposed)
			}
			if no, is := errors.AsType[*mcp.Refusal](err); is != row.proposed || is && no.Rule != row.rule {
				t.Errorf("refusal = %+v, want one of the rule %q", no, row.rule)
			}
		})
	}
	// Each call of a batch is a proposal of its own.
	before := len(d.policy.Pending())
	set := d.host.Toolset(mcphost.ToolsetOptions{Allow: all, Tier: mcp.BudgetDeep, Caller: bart})
	made.Store(0)
	res, err := set.Execute(asBart(t), "batch", `{"operations":[{"tool":"plain","arguments":{"a":1}},{"tool":"keeps"},{"tool":"plain","arguments":{"a":2}}]}`)
	if err != nil || made.Load() != 1 || len(d.policy.Pending()) != before+2 || !strings.Contains(res.Text, "pending_approval") {
		t.Errorf("the batch ended in %s, %v after %d changes, with %d calls waiting; want one change and two proposals more than %d", res.Text, err, made.Load(), len(d.policy.Pending()), before)
	}
}

// TestAWorkflowIsProposedAsAWhole: once approved, a workflow runs with all its steps.
func TestAWorkflowIsProposedAsAWhole(t *testing.T) {
	var made atomic.Int32
	d := newFixture(t)
	d.add(changing("plain", &made))
	d.add(mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "flow"}, Composite: true, Kind: tools.KindWorkflow, Needs: []string{"plain"},
		Handler: func(ctx context.Context, _ string) (string, error) {
			for range 2 {
				if _, err := mcp.Through(ctx, "plain", "{}"); err != nil {
					return "", err
				}
			}
			return "both", nil
		},
	})
	set := d.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"flow", "plain"}, Tier: mcp.BudgetDeep, Caller: bart})
	_, _ = set.Execute(asBart(t), "flow", "{}")
	waiting := d.policy.Pending()
	if len(waiting) != 1 || waiting[0].Tool != "flow" || made.Load() != 0 {
		t.Fatalf("waiting = %+v after %d changes, want the workflow and no change", waiting, made.Load())
	}
	got, err := access.Waiting{Policy: d.policy, Host: d.host}.Decide(t.Context(), waiting[0].ID, true, "dm")
	if err != nil || got == nil || got.Result != "both" || made.Load() != 2 {
		t.Errorf("Decide = %+v, %v after %d changes, want both steps made", got, err, made.Load())
	}
}

// TestAToolsetsRefusalsLeaveATrace has an NPC make forbidden calls directly, in a batch
// and in a workflow: each is recorded with the rule that refused it.
func TestAToolsetsRefusalsLeaveATrace(t *testing.T) {
	d := newFixture(t, config.Rule{Name: "closed", Kind: config.RuleToolRestriction, Tools: []string{"ruled"}})
	for _, name := range []string{"free", "ruled", "unlisted"} {
		d.add(tool(name, func(context.Context) (string, error) { return "{}", nil }))
	}
	slow := tool("slow", func(context.Context) (string, error) { return "{}", nil })
	slow.Floor = mcp.BudgetDeep
	d.add(slow)
	d.add(workflow.Batch())
	d.add(mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "flow"}, Composite: true, Kind: tools.KindWorkflow, ReadOnly: true,
		Handler: func(ctx context.Context, _ string) (string, error) {
			_, err := mcp.Through(ctx, "unlisted", "{}")
			return "", err
		},
	})
	set := d.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"free", "ruled", "slow", "batch", "flow"}, Tier: mcp.BudgetStandard, Caller: bart})
	for _, row := range []struct{ name, tool, rule, code string }{
		{"not on its list", "unlisted", "tools", "forbidden"},
		{"too slow for the turn", "slow", "tier", "forbidden"},
		{"refused by a rule", "ruled", "closed", "forbidden"},
		{"not there", "no such tool", "", "not_found"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for way, run := range map[string]func(){
				"alone": func() { _, _ = set.Execute(asBart(t), row.tool, `{"a":1}`) },
				"round": func() {
					set.ExecuteRound(asBart(t), []llm.ToolCall{{Name: row.tool, Arguments: "{}"}})
				},
			} {
				run()
				r := d.latest(1)[0]
				if r.Who != "npc:bart" || r.NPC != "bart" || r.Session != "s1" || r.Tool[:4] != row.tool[:4] || r.Decision != access.Denied || r.Rule != row.rule || r.Code != row.code {
					t.Errorf("%s: recorded as %+v", way, r)
				}
			}
		})
	}
	set = d.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"batch", "flow"}, Tier: mcp.BudgetDeep, Caller: bart})
	_, _ = set.Execute(asBart(t), "batch", `{"operations":[{"tool":"unlisted"}]}`)
	if r := d.latest(2)[1]; r.Tool != "unlisted" || r.Rule != "tools" || r.Decision != access.Denied {
		t.Errorf("in a batch: recorded as %+v", r)
	}
	_, _ = set.Execute(asBart(t), "flow", "{}")
	if r := d.latest(2)[1]; r.Tool != "unlisted" || r.Rule != "tools" || r.Decision != access.Denied {
		t.Errorf("in a workflow: recorded as %+v", r)
	}
}
