package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent connects an MCP client to "glyphoxa mcp serve --stdio".
func (h *program) agent(o *sdk.ClientOptions) (*sdk.ClientSession, *exec.Cmd) {
	h.t.Helper()
	cmd := h.command("mcp", "serve", "--stdio")
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(h.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		h.t.Fatalf("connecting: %v", err)
	}
	h.t.Cleanup(func() { _ = session.Close() })
	return session, cmd
}

// TestAgent lets an outside agent list tools, call them, and make mistakes.
func TestAgent(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	session, _ := h.agent(nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("finds", func(t *testing.T) { findsTools(t, session, list.Tools) })
	t.Run("calls", func(t *testing.T) { callsTools(t, session, list.Tools) })
	t.Run("mistakes", func(t *testing.T) { mistakeTools(t, session) })
	t.Run("unknown arguments", func(t *testing.T) { inventsArguments(t, session, h) })
}

// findsTools checks that an outside agent sees every tool with its full
// description.
func findsTools(t *testing.T, session *sdk.ClientSession, all []*sdk.Tool) {
	if info := session.InitializeResult(); info.ServerInfo.Name != "glyphoxa" || info.ServerInfo.Version != "v0.0.0-test" || info.Instructions == "" {
		t.Errorf("server = %+v, instructions %q", info.ServerInfo, info.Instructions)
	}
	var names []string
	for _, tool := range all {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s lacks a title, a description or a schema: %+v", tool.Name, tool)
		}
		if a := tool.Annotations; a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s has annotations %+v, want all hints", tool.Name, a)
		} else if a.ReadOnlyHint == agentWrites[tool.Name] || *a.OpenWorldHint != (tool.Name == "batch") {
			t.Errorf("%s has annotations %+v", tool.Name, a)
		}
		if tool.Meta["glyphoxa/tier"] == nil || tool.Meta["glyphoxa/source"] == nil {
			t.Errorf("%s has the _meta %v, want what it costs and where it is from", tool.Name, tool.Meta)
		}
	}
	if !slices.Equal(names, agentTools) {
		t.Errorf("tools = %q, want %q", names, agentTools)
	}
}

// callsTools checks calls from outside: the answer in words, and structured
// content that fits the tool's schema.
func callsTools(t *testing.T, session *sdk.ClientSession, all []*sdk.Tool) {
	for name, args := range map[string]map[string]any{
		"roll":            {"expression": "4d6kh3"},
		"roll_table":      {"table_name": "wild_magic"},
		"search_rules":    {"query": "what does blinded do"},
		"get_rule":        {"id": "condition-blinded"},
		"write_file":      {"path": "a.txt", "content": "hello"},
		"search_sessions": {"query": "hello"},
		"search_facts":    {"query": "the bell"},
		"query_entities":  {"name": "Bartok"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
			if err != nil {
				t.Fatal(err)
			}
			if res.IsError || len(res.Content) != 1 || res.StructuredContent == nil || res.Meta["executionTimeMs"] == nil {
				t.Fatalf("result = %+v, want words, structure and its time", res)
			}
			text, ok := res.Content[0].(*sdk.TextContent)
			if !ok || !json.Valid([]byte(text.Text)) {
				t.Errorf("content = %+v, want the same as JSON text", res.Content[0])
			}
			i := slices.IndexFunc(all, func(tool *sdk.Tool) bool { return tool.Name == name })
			fits(t, all[i].OutputSchema, res.StructuredContent)
		})
	}
}

// mistakeTools checks the protocol's distinction: an unknown tool is a protocol
// error, a failed call is a result with an error.
func mistakeTools(t *testing.T, session *sdk.ClientSession) {
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "summon", Arguments: map[string]any{}})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams || !strings.Contains(wire.Message, "summon") {
		t.Errorf("an unknown tool: %v, want error %d", err, jsonrpc.CodeInvalidParams)
	}
	for name, args := range map[string]any{
		"a missing argument":     map[string]any{},
		"an argument too many":   map[string]any{"expression": "d6", "luck": true},
		"an argument of no type": map[string]any{"expression": 6},
		"an argument without sense": map[string]any{
			"expression": "two dice",
		},
	} {
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "roll", Arguments: args})
		if err != nil || !res.IsError || len(res.Content) == 0 {
			t.Errorf("%s: %+v, %v; want a result that is an error", name, res, err)
		}
	}
}

// inventsArguments checks that every tool rejects unknown arguments, because
// ignoring one could mean "everything", and checks the terminal's message for
// one.
func inventsArguments(t *testing.T, session *sdk.ClientSession, h *program) {
	const complaint = `unknown argument "kwyjibo"`
	for name, tool := range h.tools() {
		switch {
		case tool.Source != "builtin":
		case !slices.Contains(agentTools, name):
			h.run("", "tools", "call", name, `{"kwyjibo":"x"}`).complains(t, 1, "invalid arguments", complaint)
		default:
			res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: map[string]any{"kwyjibo": "x"}})
			if err != nil || !res.IsError || len(res.Content) != 1 {
				t.Errorf("%s answers %+v, %v; want an error", name, res, err)
			} else if text, ok := res.Content[0].(*sdk.TextContent); !ok || !strings.Contains(text.Text, complaint) {
				t.Errorf("%s answers %+v, want %s", name, res.Content[0], complaint)
			}
		}
	}
	h.run("", "tools", "call", "query_entities", `{"query":"bartok"}`).complains(t, 1, "invalid arguments", `unknown argument "query"; the known ones are "name", "type"`)
}

// agentTools are the tools an agent on the standard streams sees by default.
var agentTools = []string{
	"ambush", "arrival", "batch", "describe_scene", "describe_tool", "get_rule", "get_summary", "investigate", "move_entity", "place_entity",
	"query_entities", "read_file", "recap", "relate_entities", "remember_fact", "remove_entity", "roll", "roll_table",
	"search_facts", "search_rules", "search_sessions", "search_tools", "set_scene", "update_entity", "write_file",
}

// agentWrites are those that can change data.
var agentWrites = map[string]bool{
	"arrival": true, "batch": true, "move_entity": true, "place_entity": true, "relate_entities": true, "remember_fact": true,
	"remove_entity": true, "set_scene": true, "update_entity": true, "write_file": true,
}

// fits requires that a value is valid under a schema.
func fits(t testing.TB, schema, value any) {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("output schema %s: %v", raw, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("output schema %s: %v", raw, err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%v does not fit %s: %v", value, raw, err)
	}
}

// TestNothingButProtocol checks the raw stream: one JSON-RPC message per line,
// garbage answered without any other output, and an orderly exit at the end of
// the input.
func TestNothingButProtocol(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	s := h.start("mcp", "serve", "--stdio")
	s.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	s.read(`"id":1`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roll","arguments":{"expression":"2d6+3"}}}`)
	s.read(`"id":2`)
	s.say(`{"jsonrpc":"2.0","id":3,"method":"no/such/method"}`)
	if line := s.read(`"id":3`); !strings.Contains(line, "-32601") {
		t.Errorf("an unknown method is answered by %s, want error -32601", line)
	}
	r := s.leave().ok(t)
	for lines := bufio.NewScanner(strings.NewReader(r.stdout)); lines.Scan(); {
		var m struct{ JSONRPC string }
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("stdout has %q, which is no protocol", lines.Text())
		}
	}
	for name, input := range map[string]string{"nothing": "", "an empty line": "\n"} {
		if r := h.run(input, "mcp", "serve", "--stdio"); r.code != 0 || r.stdout != "" {
			t.Errorf("%s as input: exit code %d, stdout %q, stderr %q", name, r.code, r.stdout, r.stderr)
		}
	}
}

// TestServersToolsPassThrough checks that the outward server offers external
// tools: clients get a notification when they arrive, and can call them.
func TestServersToolsPassThrough(t *testing.T) {
	t.Parallel()
	h := newPeerProgram(t)
	h.configure("everything.yaml")
	changed := make(chan struct{}, 1)
	session, cmd := h.agent(&sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
		select {
		case changed <- struct{}{}:
		default: // already notified
		}
	}})
	for {
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == "echo" }) {
			break
		}
		<-changed
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hi"}})
	if err != nil || res.IsError || len(res.Content) != 1 {
		t.Fatalf("echo: %+v, %v", res, err)
	}
	if text, ok := res.Content[0].(*sdk.TextContent); !ok || text.Text != "Echo: hi" {
		t.Errorf("echo says %+v", res.Content[0])
	}
	if err := session.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d at the end of the input, want 0", code)
	}
}

// TestInspector runs the protocol's official inspector against the program.
func TestInspector(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts Node twice; make test-all runs it")
	}
	t.Parallel()
	inspector := peer(t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	h := newPeerProgram(t)
	inspect := func(into any, args ...string) {
		t.Helper()
		cmd := h.command()
		cmd.Path, cmd.Args = node(t), append([]string{"node", inspector, "--cli", binary, "mcp", "serve", "--stdio"}, args...)
		out, err := cmd.Output()
		if err != nil {
			var exited *exec.ExitError
			if errors.As(err, &exited) {
				t.Fatalf("%v: %v: %s", args, err, exited.Stderr)
			}
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatalf("%v says %s: %v", args, out, err)
		}
	}
	var list struct {
		Tools []struct{ Name, Title string }
	}
	inspect(&list, "--method", "tools/list")
	if len(list.Tools) != len(agentTools) || list.Tools[slices.Index(agentTools, "roll")].Name != "roll" || list.Tools[0].Title == "" {
		t.Errorf("the inspector lists %+v", list.Tools)
	}
	var res struct {
		IsError           bool
		StructuredContent struct {
			Total int
			Rolls []int
		}
	}
	inspect(&res, "--method", "tools/call", "--tool-name", "roll", "--tool-arg", "expression=2d6+3")
	if s := res.StructuredContent; res.IsError || len(s.Rolls) != 2 || s.Total != s.Rolls[0]+s.Rolls[1]+3 {
		t.Errorf("the inspector's roll = %+v", res)
	}
}
