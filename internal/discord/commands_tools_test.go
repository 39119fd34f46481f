package discord

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// TestDescribeServers checks that a list of tools begins with each server's missing tools,
// including tools beyond the limit of one server.
func TestDescribeServers(t *testing.T) {
	for _, row := range []struct {
		name string
		in   mcphost.ServerStatus
		lang Language
		want string // empty: no line
	}{
		{"all there", mcphost.ServerStatus{State: "ready", Tools: 1000}, English, ""},
		{"many left out", mcphost.ServerStatus{State: "ready", Tools: 1000, LeftOut: 4000}, English, "4000 things are left out, because it offers too many"},
		{"one left out", mcphost.ServerStatus{State: "ready", Tools: 1000, LeftOut: 1}, English, "one thing is left out, because it offers too many"},
		{"many left out, in German", mcphost.ServerStatus{State: "ready", Tools: 1000, LeftOut: 4000}, German, "4000 fehlen, weil es zu viele sind"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.in.Name = "files"
			lines := (&call{lang: row.lang}).describeServers([]mcphost.ServerStatus{row.in})
			if row.want == "" {
				if len(lines) > 0 {
					t.Errorf("describeServers = %q, want nothing", lines)
				}
				return
			}
			if len(lines) != 1 || !strings.Contains(lines[0], "**files**") || !strings.Contains(lines[0], row.want) {
				t.Errorf("describeServers = %q, want one line with %q", lines, row.want)
			}
		})
	}
}
