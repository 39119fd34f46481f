package mcppeers_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// quick has the arguments of a tool that otherwise takes 10 seconds.
var quick = map[string]string{"trigger-long-running-operation": `{"duration":0.1,"steps":1}`}

// TestEveryToolIsCalled calls every tool once, with the arguments the host
// generates to probe it. The tool may reject them; the host may not.
func TestEveryToolIsCalled(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	mark := t.TempDir()
	all := servers(t, mark)
	for i := range all { // permission to probe a tool uses its name
		h, _ := connect(t, all[i])
		all[i].Probe = h.Names()
		shut(t, h)
	}
	h, _ := connect(t, all...)
	tools := h.Tools(mcp.BudgetDeep)
	for _, s := range all {
		callEvery(t, h, s, tools)
	}
	shut(t, h)
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("processes outlive the host: %v", left)
	}
}

// callEvery calls the tools of one server.
func callEvery(t *testing.T, h *mcphost.Host, s server, tools []mcphost.Tool) {
	t.Helper()
	var listed, answers, refusals int
	for _, tool := range tools {
		if tool.Source != s.Name {
			continue
		}
		listed++
		name, args := tool.Definition.Name, tool.Probe
		if own, ok := quick[strings.TrimPrefix(name, s.Name+"_")]; ok {
			args = own
		}
		switch res, err := h.ExecuteTool(t.Context(), name, args); {
		case args == "":
			t.Errorf("%s of %s: the host made up no arguments", name, s.Name)
		case err != nil:
			t.Errorf("%s of %s with %s: %v", name, s.Name, args, err)
		case res.IsError:
			refusals++
			t.Logf("%s of %s turns down %s: %s", name, s.Name, args, res.Text)
		case res.Text == "":
			t.Errorf("%s of %s with %s: the answer has no text", name, s.Name, args)
		default:
			answers++
		}
	}
	t.Logf("%s: %d tools, %d answered, %d turned the arguments down", s.Name, listed, answers, refusals)
	if listed != s.tools || answers != s.answers {
		t.Errorf("%s: %d tools of which %d answered, want %d and %d", s.Name, listed, answers, s.tools, s.answers)
	}
}
