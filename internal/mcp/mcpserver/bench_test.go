package mcpserver_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
)

// BenchmarkLocalCall measures an outward call without a wire: what the server
// adds to the host.
func BenchmarkLocalCall(b *testing.B) {
	rules, err := access.New(access.Options{})
	must(b, "making the policy", err)
	host := mcphost.New()
	defer func() { must(b, "closing", host.Close()) }()
	for _, tool := range diceroller.Tools() {
		must(b, "registering", host.RegisterBuiltin(tool))
	}
	server := mcpserver.New(host, mcpserver.Options{Policy: rules})
	dm, _ := rules.Profile("dm")
	client := server.Local(&access.Subject{Name: "bench", Profile: dm})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := client.Call(b.Context(), "roll", `{"expression":"2d6+3"}`); err != nil {
			b.Fatal(err)
		}
	}
}
