package mcpbench

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listAll lists all tools page by page and returns their number.
func listAll(t *testing.T, session *sdk.ClientSession) (n int) {
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Error("listing:", err)
			return n
		}
		if tool.InputSchema != nil {
			n++
		}
	}
	return n
}

// outwardSteps are the steps of a client over HTTP.
func outwardSteps(t *testing.T, size int) []step {
	ctx := t.Context()
	server := newOutward(t, 0, manyTools(size)...)
	session := road{revision: stateless}.connect(t, "http://"+server.addr+"/mcp")
	return []step{
		{name: "list all through pages", bound: straight, rounds: 3, work: func() {
			if got := listAll(t, session); got < size {
				t.Errorf("%d tools are listed, want %d", got, size)
			}
		}},
		{name: "list one page", bound: flat, rounds: growthRounds, from: 100, each: 20, work: func() {
			for range 20 {
				_, err := session.ListTools(ctx, nil)
				must(t, "listing", err)
			}
		}},
		{name: "one call", bound: flat, rounds: growthRounds, each: 200, work: func() {
			for range 200 {
				_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: toolName(size - 1), Arguments: map[string]any{"of": "it"}})
				must(t, "calling", err)
			}
		}},
	}
}

func TestGrowthOfOutwardTools(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; make gate runs this without it")
	}
	holdGrowth(t, "tools shown outside", atSizes(t, sizes(10, 10_000), outwardSteps))
}
