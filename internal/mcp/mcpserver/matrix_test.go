package mcpserver_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// TestInProcessIsOneMoreTransport holds what a client in this process is shown
// and may call against a client at the end of a wire, for every profile and
// mode.
func TestInProcessIsOneMoreTransport(t *testing.T) {
	for _, mode := range []struct {
		name     string
		options  func(*mcpserver.Options)
		readOnly bool
	}{
		{name: "plain"}, {name: "read-only", readOnly: true}, {name: "compact", options: compact}, {name: "prefixed", options: prefixed},
	} {
		t.Run(mode.name, func(t *testing.T) {
			h := newFixture(t, plan{options: mode.options, readOnly: mode.readOnly, tools: []mcphost.BuiltinTool{
				echo("peek", mcp.PermissionExternal), echo("read_file", access.FilesRead),
			}})
			must(t, "registering", h.host.ReplaceWorkflows(flow("fate", "roll"), flow("arrive", "roll", "place_entity")))
			for _, p := range access.BuiltinProfiles() {
				remote := listed(t, h.pipe(p.Name, nil))
				local := h.server.Local(h.subject(p.Name))
				var here []string
				for _, tool := range local.Tools(t.Context()) {
					here = append(here, tool.Name)
				}
				if there := slices.Sorted(maps.Keys(remote)); !slices.Equal(here, there) {
					t.Errorf("%s: listed here are %q, there %q", p.Name, here, there)
				}
				for _, name := range h.host.Names() {
					for _, tried := range []string{name, "skill:" + name, "workflow:" + name} {
						_, _, err := local.Call(t.Context(), tried, "{}")
						if callable := !errors.Is(err, mcp.ErrUnknownTool); callable != slices.Contains(here, tried) {
							t.Errorf("%s: %s is callable: %v, listed: %v (%v)", p.Name, tried, callable, !callable, err)
						}
					}
				}
			}
		})
	}
}
