package mcphost

import (
	"context"
	"errors"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// lent is what servers offer, by their names; a server that is not in it cannot
// be reached.
type lent map[string][]string

func (l lent) dial(ctx context.Context, cfg config.MCPServerConfig) (*ServerConn, error) {
	names, ok := l[cfg.Name]
	if !ok {
		return nil, errors.New("nobody there")
	}
	s := sdk.NewServer(&sdk.Implementation{Name: cfg.Name, Version: "1"}, nil)
	for _, name := range names {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	}
	ours, theirs := sdk.NewInMemoryTransports()
	peer, err := s.Connect(ctx, theirs, nil)
	if err != nil {
		return nil, err
	}
	return &ServerConn{Transport: ours, Release: func() { _ = peer.Wait() }}, nil
}

// start opens a host with a built-in roll and the servers named, kept by k.
func (l lent) start(t *testing.T, k Keeper, servers ...string) *Host {
	t.Helper()
	h := New(WithKeeper(k, "here"), WithDialer(l.dial))
	if err := h.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	roll := BuiltinTool{Definition: llm.ToolDefinition{Name: "roll"}, Handler: func(context.Context, string) (string, error) { return "{}", nil }}
	if err := h.RegisterBuiltin(roll); err != nil {
		t.Fatal(err)
	}
	for _, name := range servers {
		if err := h.RegisterServer(t.Context(), config.MCPServerConfig{Name: name}); err != nil && !errors.Is(err, mcp.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	return h
}

// stop keeps what is to be kept and closes the host.
func stop(t *testing.T, h *Host) {
	t.Helper()
	if err := errors.Join(h.Keep(t.Context()), h.Close()); err != nil {
		t.Fatal(err)
	}
}

func reasonOf(t *testing.T, h *Host, name string) string {
	t.Helper()
	for _, s := range h.Status() {
		if s.Name == name {
			return s.NameReason
		}
	}
	t.Fatalf("no tool %q", name)
	return ""
}

func TestNamesOfServersThatAreGone(t *testing.T) {
	keeper, none := newMemoryKeeper(), func(string) bool { return false }
	world := lent{"web": {"echo", "find", "roll"}, "other": {"echo", "find", "odd:name"}}
	stop(t, world.start(t, keeper, "web"))

	h := world.start(t, keeper, "web", "other")
	for name, want := range map[string]string{
		"echo": "", "other_echo": `"echo" is the name of web/echo`, "web_roll": `"roll" is Glyphoxa's own tool`,
		safeName("odd:name"): "models do not accept its own name",
	} {
		if got := reasonOf(t, h, name); got != want {
			t.Errorf("reason of %s = %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"echo": "web/echo has it", "web": "web/echo has it", "other/echo": "other/echo has it", "roll": "own tool", "nothing": `every name that is remembered is in use; "glyphoxa tools" lists them`} {
		if _, err := h.ForgetName(t.Context(), name, none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("forgetting %s = %v, want it to say %q", name, err, want)
		}
	}
	stop(t, h)

	h = world.start(t, keeper, "other") // web left the configuration
	if got := reasonOf(t, h, "other_echo"); !strings.Contains(got, "web/echo, whose server is gone") || !strings.Contains(got, "glyphoxa tools forget echo") {
		t.Errorf("reason of other_echo = %q, want who holds the name and what to do", got)
	}
	if _, err := h.ForgetName(t.Context(), "echo", func(s string) bool { return s == "web" }); err == nil || !strings.Contains(err.Error(), "configured, but not connected") {
		t.Errorf("forgetting a name of a disabled server = %v", err)
	}
	if _, err := h.ForgetName(t.Context(), "ecco", none); !errors.Is(err, mcp.ErrUnknownTool) || !strings.Contains(err.Error(), `did you mean "echo"?`) {
		t.Errorf("forgetting a misspelt name = %v", err)
	}
	stale := world.start(t, keeper, "other") // another process, which ends later
	given, err := h.ForgetName(t.Context(), "web/echo", none)
	if err != nil || len(given) != 1 || given[0] != (Forgotten{Name: "echo", Owner: "web/echo", Heir: "other/echo", HeirWas: "other_echo"}) {
		t.Errorf("forgotten = %+v, %v", given, err)
	}
	if got := strings.Join(h.Names(), " "); got != "echo "+safeName("odd:name")+" other_find roll" {
		t.Errorf("names = %q, want echo free for other's tool", got)
	}
	if given, err = h.ForgetName(t.Context(), "web", none); err != nil || len(given) != 2 {
		t.Errorf("forgotten of the server = %+v, %v", given, err)
	}
	stop(t, h)
	stop(t, stale)

	h = world.start(t, keeper, "web", "other")
	defer stop(t, h)
	if got := strings.Join(h.Names(), " "); !strings.HasPrefix(got, "echo find ") || reasonOf(t, h, "web_echo") != `"echo" is the name of other/echo` {
		t.Errorf("names after a restart = %q, want web to yield now", got)
	}
}

func TestNamesThatMayComeBackAreNotForgotten(t *testing.T) {
	keeper, none := newMemoryKeeper(), func(string) bool { return false }
	world := lent{"web": {"echo", "find"}}
	stop(t, world.start(t, keeper, "web"))

	world["web"] = []string{"find"} // it no longer offers echo
	h := world.start(t, keeper, "web")
	if given, err := h.ForgetName(t.Context(), "echo", none); err != nil || len(given) != 1 || given[0].Heir != "" {
		t.Errorf("forgetting what a connected server no longer offers = %+v, %v", given, err)
	}
	stop(t, h)

	delete(world, "web")
	h = world.start(t, keeper, "web")
	defer stop(t, h)
	if _, err := h.ForgetName(t.Context(), "find", none); err == nil || !strings.Contains(err.Error(), "away") {
		t.Errorf("forgetting a name of a server that is down = %v", err)
	}
}
