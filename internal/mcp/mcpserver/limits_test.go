package mcpserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestEveryRequestIsLimited shows that no method can be asked for without end, those
// included that come to nothing.
func TestEveryRequestIsLimited(t *testing.T) {
	tool := func(name string, args any) func(context.Context, *sdk.ClientSession) error {
		return func(ctx context.Context, s *sdk.ClientSession) error {
			res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
			if err == nil && res.IsError && strings.Contains(text(res), "capacity_exceeded") {
				return errRefused
			}
			return err
		}
	}
	for name, ask := range map[string]func(context.Context, *sdk.ClientSession) error{
		"a call":                     tool("roll", map[string]any{"expression": "d6"}),
		"a call with bad arguments":  tool("roll", map[string]any{"dice": 6}),
		"a call of no tool":          tool("summon", map[string]any{}),
		"a call of one that is ours": tool("search_tools", map[string]any{"query": "dice"}),
		"a ping":                     func(ctx context.Context, s *sdk.ClientSession) error { return s.Ping(ctx, nil) },
		"a list of tools":            func(ctx context.Context, s *sdk.ClientSession) error { _, err := s.ListTools(ctx, nil); return err },
		"a list of prompts":          func(ctx context.Context, s *sdk.ClientSession) error { _, err := s.ListPrompts(ctx, nil); return err },
		"a list of resources":        func(ctx context.Context, s *sdk.ClientSession) error { _, err := s.ListResources(ctx, nil); return err },
		"a list of resource templates": func(ctx context.Context, s *sdk.ClientSession) error {
			_, err := s.ListResourceTemplates(ctx, nil)
			return err
		},
		"a prompt that is not there": func(ctx context.Context, s *sdk.ClientSession) error {
			_, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: "nothing"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const burst = 12
				h := newFixture(t, plan{config: config.Server{Limits: config.Limits{Burst: burst, PerSecond: 1, Sessions: 10}}})
				s := h.pipe("dm", nil)
				passed := 0
				for ; passed <= burst; passed++ {
					err := ask(t.Context(), s)
					var wire *jsonrpc.Error
					if errors.Is(err, errRefused) || errors.As(err, &wire) && wire.Code == -32010 {
						break
					}
				}
				if passed == 0 || passed > burst {
					t.Errorf("%d pass with a budget of %d", passed, burst)
				}
			})
		})
	}
}

var errRefused = errors.New("refused")

func text(res *sdk.CallToolResult) string {
	var all strings.Builder
	for _, c := range res.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			all.WriteString(c.Text)
		}
	}
	return all.String()
}

// TestRoomIsSettledBeforeArguments shows that a call beyond the limits is refused for
// that, whatever is in its arguments, and that the refusal is in the audit log.
func TestRoomIsSettledBeforeArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t, plan{config: config.Server{Policy: []config.Rule{
			{Name: "calm", Kind: config.RuleRateLimit, Tools: []string{"roll"}, Calls: 1, Window: config.Duration(1e9)},
		}}})
		s := h.pipe("dm", nil)
		if _, err := call(t, s, "roll", map[string]any{"expression": "d6"}); err != nil {
			t.Fatal(err)
		}
		res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "roll", Arguments: map[string]any{"dice": 6}})
		if err != nil || !strings.Contains(text(res), "capacity_exceeded") {
			t.Errorf("a call beyond the limit with bad arguments ends in %v, %+v", err, res)
		}
		denied, _, err := h.audit.Query(t.Context(), access.LogQuery{Tool: "roll", Decision: access.Denied})
		if err != nil || len(denied) != 1 || denied[0].Rule != "calm" {
			t.Errorf("the audit log has %+v, %v; want what was refused", denied, err)
		}
	})
}
