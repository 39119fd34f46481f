package workflow_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// registry presents a host to workflows.
type registry struct{ host *mcphost.Host }

func (r registry) Lookup(name string) (mcp.Target, time.Duration, time.Duration, bool, bool) {
	tool, ok := r.host.Tool(name)
	return tool.Target, tool.Latency(), tool.Deadline, tool.Definition.Idempotent, ok
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// table is a host with the product's tools over the shipped campaign, the lines of one
// session and the shipped workflows.
func table(t testing.TB) (*mcphost.Host, *world.World) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: wordvectors.New()})
	check(t, err)
	t.Cleanup(func() { check(t, store.Close()) })
	thornhollow, err := world.ParseCampaign("thornhollow.yaml", []byte(readFile(t, "../../../campaigns/thornhollow.yaml")))
	check(t, err)
	check(t, thornhollow.Apply(t.Context(), store))
	for n, err := 1, error(nil); n > 0; {
		n, err = store.EmbedFacts(t.Context())
		check(t, err)
	}
	session, err := store.StartSession(t.Context(), thornhollow.Name)
	check(t, err)
	_, err = store.Append(t.Context(),
		memory.Line{Session: session.ID, Turn: 1, Speaker: "Ada", Text: "Who built the weir at the mill?", At: time.Unix(0, 0)},
		memory.Line{Session: session.ID, Turn: 1, Speaker: "Greymantle the Sage", NPC: "greymantle-the-sage", Text: "The weir? Ask at Marsh Mill, if you dare.", At: time.Unix(9, 0)})
	check(t, err)
	live, err := world.Open(t.Context(), store, world.Options{Campaign: thornhollow.Name, Scene: thornhollow.Scene})
	check(t, err)

	rules := ruleslookup.BuiltIn()
	check(t, rules.Warm())
	h := mcphost.New()
	t.Cleanup(func() { check(t, h.Close()) })
	var all []tools.Tool
	all = append(all, diceroller.Tools()...)
	all = append(all, ruleslookup.NewTools(rules)...)
	all = append(all, memorytool.NewTools(store, store, store)...)
	all = append(all, worldtool.NewTools(live, store)...)
	for _, tool := range append(all, workflow.Batch()) {
		check(t, h.RegisterBuiltin(tool))
	}
	flows, err := workflow.LoadFS(glyphoxa.Shipped, "workflows")
	check(t, err)
	var defs []tools.Tool
	for _, w := range flows {
		if missing := w.Missing(h.Names()); len(missing) > 0 {
			t.Errorf("workflow %s needs %v", w.Name, missing)
		}
		defs = append(defs, w.Tool(registry{h}, nil))
	}
	check(t, h.ReplaceWorkflows(defs...))
	return h, live
}

// callTool makes a call with full rights and returns its output.
func callTool(ctx context.Context, t testing.TB, h *mcphost.Host, name, args string) map[string]any {
	t.Helper()
	res, err := h.ExecuteTool(ctx, name, args)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, res.Text)
	}
	var out struct{ Output map[string]any }
	check(t, json.Unmarshal(res.Structured, &out))
	return out.Output
}

func TestShippedWorkflowsRun(t *testing.T) {
	h, live := table(t)

	ambush := callTool(t.Context(), t, h, "ambush", `{"stealth":30,"party":-3}`)
	if rules, ok := ambush["rules"].([]any); ambush["surprised"] != true || !ok || len(rules) == 0 {
		t.Errorf("ambush yields %v, want surprise and the rules on it", ambush)
	}

	recap := callTool(t.Context(), t, h, "recap", `{"topic":"Marsh Mill","facts":3}`)
	if facts, ok := recap["facts"].([]any); !ok || len(facts) != 3 || !strings.Contains(recap["involved"].(string), "Marsh Mill") || recap["about"] == nil {
		t.Errorf("recap yields %v", recap)
	}
	if nobody := callTool(t.Context(), t, h, "recap", `{"topic":"Xyzzyqq"}`); nobody["about"] != nil || nobody["involved"] != "" {
		t.Errorf("recap of nothing yields %v", nobody)
	}

	if _, err := h.ExecuteTool(t.Context(), "arrival", `{"who":"captain-harrow","where":"rusty-flagon","mood":"She is wet to the bone."}`); err != nil {
		t.Fatal(err)
	}
	if got, want := live.Scene(), "Captain Harrow arrives at The Rusty Flagon. She is wet to the bone."; got != want {
		t.Errorf("scene %q, want %q", got, want)
	}
	before := live.Seq()
	res, err := h.ExecuteTool(t.Context(), "arrival", `{"who":"nobody-at-all","where":"rusty-flagon"}`)
	if mcp.CodeOf(err) != mcp.CodeInvalidInput || live.Seq() != before {
		t.Errorf("nobody arrives: %v\n%s", err, res.Text)
	}
}

func TestShippedWorkflowsAsTools(t *testing.T) {
	h, _ := table(t)
	type facts struct {
		ReadOnly, Idempotent, OpenWorld bool
		Deadline                        time.Duration
	}
	got := map[string]facts{}
	for _, name := range []string{"recap", "ambush", "arrival"} {
		tool, ok := h.Tool(name)
		if !ok {
			t.Fatalf("there is no tool %s", name)
		}
		got[name] = facts{tool.ReadOnly, tool.Definition.Idempotent, tool.OpenWorld, tool.Deadline}
		if tool.Latency() <= 0 || tool.Latency() > tool.Deadline {
			t.Errorf("%s should take %v of %v", name, tool.Latency(), tool.Deadline)
		}
	}
	want := map[string]facts{
		"recap":   {true, true, false, 10 * time.Second},
		"ambush":  {true, true, false, 5 * time.Second},
		"arrival": {false, true, false, 10 * time.Second},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestNPCsRunWorkflowsWithTheirOwnTools(t *testing.T) {
	h, _ := table(t)
	for _, row := range []struct {
		name  string
		allow []string
		sees  bool
	}{
		{"all_of_its_tools", []string{"ambush", "roll", "search_rules"}, true},
		{"not_all_of_its_tools", []string{"ambush", "roll"}, false},
		{"not_the_workflow", []string{"roll", "search_rules"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			set := h.Toolset(mcphost.ToolsetOptions{Caller: mcp.Caller{NPC: "greymantle-the-sage"}, Tier: mcp.BudgetDeep, Allow: row.allow})
			res, err := set.Execute(t.Context(), "ambush", `{"stealth":30}`)
			if sees := err == nil; sees != row.sees {
				t.Errorf("allowed %v: %v\n%s", sees, err, res.Text)
			}
		})
	}
}
