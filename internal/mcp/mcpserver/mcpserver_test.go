package mcpserver_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestDefinitionsAreComplete(t *testing.T) {
	h := newFixture(t, plan{})
	must(t, "calibrating", h.host.Calibrate(t.Context()))
	s := h.pipe("dm", nil)
	for name, tool := range listed(t, s) {
		if tool.Title == "" || tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s = %+v, want title, description and both schemas", name, tool)
		}
		if a := tool.Annotations; a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s: annotations = %+v, want all hints", name, a)
		}
		if tool.Meta["glyphoxa/tier"] == nil || tool.Meta["glyphoxa/source"] == nil {
			t.Errorf("%s: _meta = %v, want its tier and source", name, tool.Meta)
		}
	}
	roll := listed(t, s)["roll"]
	if a := roll.Annotations; !a.ReadOnlyHint || !a.IdempotentHint || *a.OpenWorldHint {
		t.Errorf("annotations of roll = %+v, want read-only, idempotent, closed world", a)
	}
	for _, key := range []string{"glyphoxa/p50Ms", "glyphoxa/p99Ms", "glyphoxa/estimatedDurationMs", "glyphoxa/maxDurationMs"} {
		if _, ok := roll.Meta[key].(float64); !ok {
			t.Errorf("_meta of roll = %v, want the number %s", roll.Meta, key)
		}
	}
}

func TestCalls(t *testing.T) {
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{
		{
			Definition: llm.ToolDefinition{Name: "plain"}, Permission: "dice.roll", ReadOnly: true,
			Handler: func(context.Context, string) (string, error) { return "plain text", nil },
		},
		{
			Definition: llm.ToolDefinition{Name: "broken"}, Permission: "dice.roll", ReadOnly: true,
			Handler: func(context.Context, string) (string, error) {
				return "", errors.New("opening /secret of the house: no")
			},
		},
		{
			Definition: llm.ToolDefinition{Name: "honest"}, Permission: "dice.roll", ReadOnly: true,
			Handler: func(context.Context, string) (string, error) {
				return "", mcp.PublicError(errors.New("the die fell\noff the table"))
			},
		},
		{
			Definition: llm.ToolDefinition{Name: "panics"}, Permission: "dice.roll", ReadOnly: true,
			Handler: func(context.Context, string) (string, error) { panic("secret of the house") },
		},
	}})
	s := h.pipe("dm", nil)
	t.Run("structured content and its text say the same", func(t *testing.T) {
		res, err := call(t, s, "roll", map[string]any{"expression": "2d6+3"})
		must(t, "rolling", err)
		type rolled struct{ Total int }
		structured := decoded[rolled](t, res.StructuredContent)
		if res.IsError || structured.Total < 5 || !strings.Contains(firstText(res), `"total":`) {
			t.Errorf("roll = %+v", res)
		}
		meta := decoded[struct {
			ExecutionTimeMs *float64
			EventsEmitted   []string
		}](t, res.Meta)
		if meta.ExecutionTimeMs == nil || len(meta.EventsEmitted) != 1 || meta.EventsEmitted[0] != "tool.executed" {
			t.Errorf("_meta = %v, want time and events", res.Meta)
		}
	})
	t.Run("plain text stays plain", func(t *testing.T) {
		res, err := call(t, s, "plain", nil)
		must(t, "calling", err)
		if firstText(res) != "plain text" || res.StructuredContent != nil {
			t.Errorf("plain = %+v, want plain text alone", res)
		}
	})
	for _, row := range []struct {
		name, tool string
		args       any
		code       mcp.Code
		says       string
	}{
		{name: "what does not fit the schema", tool: "roll", args: map[string]any{}, code: mcp.CodeInvalidInput, says: "expression"},
		{name: "what the tool rejects", tool: "roll", args: map[string]any{"expression": "2x6"}, code: mcp.CodeInvalidInput, says: "2x6"},
		{name: "a failure of the tool", tool: "broken", code: mcp.CodeHandlerError, says: mcp.Failed},
		{name: "a failure that callers may know of", tool: "honest", code: mcp.CodeHandlerError, says: "fell off the table"},
		{name: "a panic", tool: "panics", code: mcp.CodeHandlerError, says: "panicked"},
	} {
		t.Run(row.name, func(t *testing.T) {
			res, err := call(t, s, row.tool, row.args)
			must(t, "calling", err)
			failure := decoded[struct {
				Code          mcp.Code
				Message, Hint string
			}](t, res.Meta["glyphoxa/error"])
			if !res.IsError || failure.Code != row.code || !strings.Contains(failure.Message, row.says) || failure.Hint == "" {
				t.Errorf("result = %+v, want %s that says %q and what to do", res, row.code, row.says)
			}
			if strings.Contains(firstText(res), "secret of the house") {
				t.Errorf("the answer tells what we look like inside: %s", firstText(res))
			}
		})
	}
	t.Run("an unknown tool is a protocol error", func(t *testing.T) {
		_, err := call(t, s, "ghost", nil)
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams || !strings.Contains(wire.Message, `"ghost"`) {
			t.Errorf("an unknown tool answers %v, want -32602", err)
		}
	})
}

func TestListFollowsTheRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t, plan{})
		changed := make(chan struct{}, 16)
		s := h.pipe("dm", &sdk.ClientOptions{
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
		})
		before := listed(t, s)
		must(t, "registering", h.host.RegisterBuiltin(echo("late", "dice.roll")))
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("no list_changed")
		}
		if after := listed(t, s); before["late"] != nil || after["late"] == nil || after["roll"] == nil {
			t.Errorf("late before and after: %v, %v", before["late"], after["late"])
		}
	})
}

func TestPagesOfALongList(t *testing.T) {
	h := newFixture(t, plan{})
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7"} {
		must(t, "registering", h.host.RegisterBuiltin(echo(name, "dice.roll")))
	}
	small := newFixture(t, plan{tools: []mcphost.BuiltinTool{echo("a1", "dice.roll"), echo("a2", "dice.roll"), echo("a3", "dice.roll")}, options: pageSize(2)})
	s := small.pipe("dm", nil)
	first, err := s.ListTools(t.Context(), nil)
	must(t, "listing", err)
	if len(first.Tools) != 2 || first.NextCursor == "" {
		t.Fatalf("first page = %d tools, cursor %q", len(first.Tools), first.NextCursor)
	}
	must(t, "registering", small.host.RegisterBuiltin(echo("a0", "dice.roll"))) // before the page's end
	second, err := s.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: first.NextCursor})
	must(t, "listing", err)
	if first.Tools[1].Name != "a2" || second.Tools[0].Name != "a3" {
		t.Errorf("pages end with %s and begin with %s; a cursor stays good while tools come", first.Tools[1].Name, second.Tools[0].Name)
	}
	for _, cursor := range []string{"x", "YWZ0ZXI", "!!!", strings.Repeat("A", 5000)} {
		_, err = s.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: cursor})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("cursor %.10q answers %v, want -32602", cursor, err)
		}
	}
}

func TestClosedInputStillGetsItsAnswers(t *testing.T) {
	release := make(chan struct{})
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{{
		Definition: llm.ToolDefinition{Name: "slow"}, Permission: "dice.roll", ReadOnly: true,
		Handler: func(context.Context, string) (string, error) {
			<-release // the client has closed its end before the call is done
			return "at last", nil
		},
	}}})
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{}}}`,
		`{"jsonrpc":`, "",
	}, "\n")
	out, w := io.Pipe()
	done := make(chan error, 1)
	input := &closing{Reader: strings.NewReader(in), end: func() { close(release) }}
	go func() { done <- h.server.Serve(t.Context(), h.subject("dm"), mcpserver.Lines(input, w, 0)) }()
	said, err := io.ReadAll(out)
	must(t, "reading", err)
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if !strings.Contains(string(said), "at last") || !strings.Contains(string(said), "-32700") {
		t.Errorf("output = %s, want the answer to the call and to the line that is no JSON", said)
	}
}

// closing calls end when it has been read to its end.
type closing struct {
	io.Reader
	end func()
}

func (c *closing) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if errors.Is(err, io.EOF) && c.end != nil {
		c.end()
		c.end = nil
	}
	return n, err
}

func (c *closing) Close() error { return nil }

func TestNobodyIsServedWithoutAName(t *testing.T) {
	h := newFixture(t, plan{})
	if _, _, err := h.server.Local(nil).Call(t.Context(), "roll", `{"expression":"1d6"}`); mcp.CodeOf(err) != mcp.CodeNotFound {
		t.Errorf("a call by nobody = %v, want it not found", err)
	}
	if tools := h.server.Local(nil).Tools(t.Context()); len(tools) != 0 {
		t.Errorf("nobody is shown %d tools", len(tools))
	}
}
