package mcppeers_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestInspector runs the protocol's official inspector against the program over
// each of its transports.
func TestInspector(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	node, inspector := peers.Node(t), peers.File(t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	p := newProgram(t)
	url := "http://" + p.serve(t) + "/mcp"
	for _, row := range []struct {
		name   string
		target []string
	}{
		{name: "stdio", target: []string{p.path, "mcp", "serve", "--stdio"}},
		{name: "http", target: []string{"--server-url", url, "--transport", "http", "--header", "Authorization: Bearer " + builderToken}},
	} {
		t.Run(row.name, func(t *testing.T) {
			inspect := func(into any, args ...string) {
				t.Helper()
				out := visit(t, p, node, slices.Concat([]string{inspector, "--cli"}, row.target, args)...)
				if err := json.Unmarshal(out, into); err != nil {
					t.Fatalf("%v says %s: %v", args, out, err)
				}
			}
			var strict struct {
				Result struct {
					Tools []struct{ Name, Title string }
				}
				SchemaFindings json.RawMessage
			}
			inspect(&strict, "--method", "tools/list", "--strict", "--format", "json") // fails for an invalid schema
			list := strict.Result
			if findings := string(strict.SchemaFindings); strings.Contains(findings, "inputSchema") || strings.Contains(findings, "outputSchema") {
				t.Errorf("the inspector warns of what tools take or return: %s", findings)
			}
			for _, name := range []string{"roll", "search_rules", "describe_scene", "place_entity", "batch"} {
				if !slices.ContainsFunc(list.Tools, func(tool struct{ Name, Title string }) bool { return tool.Name == name && tool.Title != "" }) {
					t.Errorf("the inspector lists no %s with a title: %+v", name, list.Tools)
				}
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
			var read struct{ Contents []struct{ URI, Text string } }
			inspect(&read, "--method", "resources/read", "--uri", "glyphoxa://npcs")
			if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, "Mira") {
				t.Errorf("the inspector reads %+v, want Mira among the NPCs", read)
			}
		})
	}
}

// given are the arguments of tools and prompts that need some.
const given = `{
	"describe_tool": {"name": "roll"}, "get_rule": {"id": "condition-blinded"}, "get_summary": {"entity_id": "old-bell"},
	"read_file": {"path": "notes.txt"}, "roll": {"expression": "4d6kh3"}, "roll_table": {"table_name": "wild_magic"},
	"investigate": {"question": "Who rings the bell?"}, "search_facts": {"query": "bell"}, "search_rules": {"query": "blinded"}, "search_sessions": {"query": "bell"},
	"encounter_builder": {"level": "3", "party_size": "4"}, "npc_persona": {"npc": "Mira"}, "rules_question": {"question": "What does blinded do?"}
}`

// TestTypeScriptSDK runs everything read-only through the protocol's TypeScript
// SDK, which checks every answer against the protocol's schemas and the tool's
// own.
func TestTypeScriptSDK(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	node, client := peers.Node(t), peers.File(t, "@modelcontextprotocol/client/package.json")
	peers.File(t, "@modelcontextprotocol/sdk/package.json")
	script := filepath.Join(filepath.Dir(client), "..", "..", "..", "visit.mjs")
	p := newProgram(t)
	url := "http://" + p.serve(t) + "/mcp"
	for _, row := range []struct{ line, protocol string }{
		{line: "v1", protocol: "2025-11-25"},
		{line: "v2", protocol: "2026-07-28"},
	} {
		t.Run(row.line, func(t *testing.T) {
			said := strings.Split(strings.TrimSpace(string(visit(t, p, node, script, row.line, url, builderToken, given))), "\n")
			var got struct {
				Protocol                                     string
				Tools, Refused, Resources, Prompts, Failures []string
				Templates, Completed                         int
			}
			if err := json.Unmarshal([]byte(said[len(said)-1]), &got); err != nil {
				t.Fatalf("it says %q: %v", said, err)
			}
			for _, f := range got.Failures {
				t.Error(f)
			}
			if got.Protocol != row.protocol {
				t.Errorf("it speaks %q, want %q", got.Protocol, row.protocol)
			}
			if len(got.Tools) < 12 || len(got.Refused) != len(got.Tools) {
				t.Errorf("it called %q and had nonsense refused by %q, want at least 12 tools, and the same", got.Tools, got.Refused)
			}
			if len(got.Resources) < 7 || got.Templates < 5 || len(got.Prompts) < 5 || got.Completed < 5 {
				t.Errorf("it read %q, %d templates, got %q and completed %d arguments; want at least 7, 5, 5 and 5", got.Resources, got.Templates, got.Prompts, got.Completed)
			}
		})
	}
}
