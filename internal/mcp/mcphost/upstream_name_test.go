package mcphost_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func TestServersNeedANameThatTellsThemApart(t *testing.T) {
	h := mcphost.New(mcphost.WithDialer(func(context.Context, config.MCPServerConfig) (*mcphost.ServerConn, error) {
		return nil, errors.New("nobody there")
	}))
	defer h.Close()
	for _, name := range []string{"", "  ", "builtin", "workflow", "///", "two\nlines", " web", "a\u200bb", strings.Repeat("x", 501)} {
		err := h.RegisterServer(t.Context(), config.MCPServerConfig{Name: name})
		if err == nil || errors.Is(err, mcp.ErrUnavailable) {
			t.Errorf("RegisterServer with the name %q = %v, want it refused", name, err)
		}
	}
	for _, name := range []string{"web", "Würfel 2", "骰子"} {
		if err := h.RegisterServer(t.Context(), config.MCPServerConfig{Name: name}); !errors.Is(err, mcp.ErrUnavailable) {
			t.Errorf("RegisterServer with the name %q = %v, want it taken and unavailable", name, err)
		}
	}
	if got := len(h.Servers()); got != 3 {
		t.Errorf("%d servers, want 3", got)
	}
}
