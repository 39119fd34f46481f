package bridge_test

import (
	"context"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func ExampleBridge() {
	host := mcphost.New()
	defer func() { _ = host.Close() }()
	for _, t := range []mcphost.BuiltinTool{tool("roll", 5, answer(`{"total":9}`)), tool("search", 900, answer("{}"))} {
		if err := host.RegisterBuiltin(t); err != nil {
			fmt.Println(err)
		}
	}
	s := &session{}
	b, err := bridge.NewBridge(host, s, mcp.BudgetFast)
	if err != nil {
		fmt.Println(err)
		return
	}
	s.call("call-1", "roll", "{}") // what the session's model does
	if err := b.UpdateTier(context.Background(), mcp.BudgetStandard); err != nil {
		fmt.Println(err)
	}
	b.Close()
	fmt.Printf("%q\n", s.tools())
	fmt.Println(s.answers[0].ID, s.answers[0].Name)
	// Output:
	// ["roll" "roll search"]
	// call-1 roll
}
