package mcpserver_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/fileio"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// everyTool is a plan with all built-in tools.
func everyTool(t *testing.T) plan {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "more.db"), nil)
	must(t, "opening memory", err)
	log, err := access.OpenLog(t.Context(), filepath.Join(t.TempDir(), "more-audit.db"), access.LogOptions{})
	must(t, "opening the audit log", err)
	t.Cleanup(func() { must(t, "closing", log.Close()); must(t, "closing", store.Close()) })
	rules, err := access.New(access.Options{})
	must(t, "making the policy", err)
	return plan{tools: slices.Concat(
		fileio.NewTools(t.TempDir()), ruleslookup.NewTools(ruleslookup.BuiltIn()),
		memorytool.NewTools(store, store, store), access.LogTools(log), access.ApprovalTools(access.Waiting{Policy: rules}),
	)}
}

// A tool that ignores what it does not know answers another question than the
// one that was asked: query_entities with a query lists everything.
func TestArgumentsUnderAWrongNameAreRefused(t *testing.T) {
	h := newFixture(t, everyTool(t))
	client := h.pipe("dm", nil)
	all := listed(t, client)
	if len(all) < 20 {
		t.Fatalf("%d tools: %v", len(all), slices.Sorted(maps.Keys(all)))
	}
	toolset := h.host.Toolset(mcphost.ToolsetOptions{
		Tier: mcp.BudgetDeep, Allow: slices.Collect(maps.Keys(all)), Caller: mcp.Caller{NPC: "bart"},
	})
	const says = `unknown argument "kwyjibo"`
	for name, tool := range all {
		schema := decoded[map[string]any](t, tool.InputSchema)
		if schema["additionalProperties"] != false {
			t.Errorf("%s: additionalProperties = %v, want false", name, schema["additionalProperties"])
		}
		res, err := call(t, client, name, map[string]any{"kwyjibo": "x"})
		if err != nil || !res.IsError || !strings.Contains(firstText(res), says) {
			t.Errorf("%s, outward: %v, %v; want it to say %s", name, res, err, says)
		} else {
			for known := range decoded[struct{ Properties map[string]any }](t, schema).Properties {
				if !strings.Contains(firstText(res), `"`+known+`"`) {
					t.Errorf("%s: %q does not name %q", name, firstText(res), known)
				}
			}
		}
		if _, registered := h.host.Registered(name); !registered {
			continue // the server's own
		}
		if err := toolset.Check(name, `{"kwyjibo":"x"}`); mcp.CodeOf(err) != mcp.CodeInvalidInput || !strings.Contains(err.Error(), says) {
			t.Errorf("%s, checked for an NPC: %v; want it to say %s", name, err, says)
		}
		if _, err := toolset.Execute(t.Context(), name, `{"kwyjibo":"x"}`); mcp.CodeOf(err) != mcp.CodeInvalidInput || !strings.Contains(err.Error(), says) {
			t.Errorf("%s, by an NPC: %v; want it to say %s", name, err, says)
		}
	}
	for _, tool := range h.host.Status() {
		if tool.Samples != 0 || tool.ErrorRate != 0 {
			t.Errorf("%s: %d samples and error rate %v, want rejected arguments to count for nothing", tool.Name, tool.Samples, tool.ErrorRate)
		}
	}
}

func TestTheRightNameIsProposed(t *testing.T) {
	h := newFixture(t, everyTool(t))
	compact := newFixture(t, plan{options: func(o *mcpserver.Options) { o.Compact = true }})
	rows := []struct {
		client     *sdk.ClientSession
		tool, says string
		args       map[string]any
	}{
		{h.pipe("dm", nil), "query_entities", `the known ones are "name", "type"`, map[string]any{"query": "bartok"}},
		{h.pipe("dm", nil), "query_entities", `did you mean "name"?`, map[string]any{"nmae": "bartok"}},
		{h.pipe("dm", nil), "describe_scene", `unknown argument "area.centre"; did you mean "center"?`, map[string]any{"area": map[string]any{"centre": []int{0, 0, 0}, "radius": 1}}},
		{h.pipe("dm", nil), "list_approvals", "there are no arguments to give", map[string]any{"all": true}},
		{h.pipe("dm", nil), "search_tools", `unknown argument "qeury"; did you mean "query"?`, map[string]any{"qeury": "dice"}},
		{compact.pipe("dm", nil), "list_programs", `unknown argument "qeury"; did you mean "query"?`, map[string]any{"qeury": "dice"}},
		{compact.pipe("dm", nil), "invoke_program", `unknown argument "inputs"; did you mean "input"?`, map[string]any{"id": "roll", "inputs": map[string]any{}}},
	}
	for _, row := range rows {
		res, err := call(t, row.client, row.tool, row.args)
		if err != nil || !res.IsError || !strings.Contains(strings.ReplaceAll(firstText(res), `\"`, `"`), row.says) {
			t.Errorf("%s %v: %v, %v; want it to say %s", row.tool, row.args, res, err, row.says)
		}
	}
	res, err := call(t, h.pipe("dm", nil), "query_entities", map[string]any{"query": nil})
	if err != nil || res.IsError {
		t.Errorf("a null under an unknown name: %v, %v; want it to count as left out", res, err)
	}
}
