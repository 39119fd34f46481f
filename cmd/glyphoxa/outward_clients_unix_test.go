//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gomcpclient "github.com/mark3labs/mcp-go/client"
	gomcptransport "github.com/mark3labs/mcp-go/client/transport"
	gomcp "github.com/mark3labs/mcp-go/mcp"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestClientsOfOthers runs the same steps with third-party clients in both eras
// of the protocol: list tools, call one, call a missing one, call one with a
// wrong argument, read a resource, and get a prompt. mcp-go connects directly
// and through nginx with TLS, the TypeScript SDKs through nginx.
func TestClientsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	n := serveBehindNginx(t, "trusted_proxies: [127.0.0.1]")
	n.h.run("Mira, where is the old bell?\n", "play").ok(t) // otherwise there is no session to recap
	alice := n.in(t).web(secret("alice")).handshake()
	if got := try(t, alice, "place_entity", map[string]any{"name": "Old Bell", "type": "item"}).code(); got != "" {
		t.Fatalf("placing the bell ends in %q", got)
	}
	for _, revision := range []string{"2025-11-25", newest} {
		t.Run("mcp-go directly, "+revision, func(t *testing.T) {
			direct := &http.Transport{}
			t.Cleanup(direct.CloseIdleConnections)
			visitWithGo(t, "http://"+n.addr+"/mcp", &http.Client{Transport: direct}, revision)
		})
		t.Run("mcp-go through nginx, "+revision, func(t *testing.T) {
			visitWithGo(t, "https://table.example/mcp", n.from("127.0.0.1"), revision)
		})
	}
	for line, revision := range map[string]string{"v1": "2025-11-25", "v2": newest} {
		t.Run("the TypeScript SDK "+line+" through nginx", func(t *testing.T) { n.visitWithTypeScript(t, line, revision) })
	}
}

// visitWithGo runs the steps with mcp-go's client.
func visitWithGo(t *testing.T, url string, web *http.Client, revision string) {
	t.Helper()
	road, err := gomcptransport.NewStreamableHTTP(url, gomcptransport.WithHTTPBasicClient(web),
		gomcptransport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + secret("alice")}))
	if err != nil {
		t.Fatal(err)
	}
	client := gomcpclient.NewClient(road, gomcpclient.WithProtocolVersion(revision))
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() }) // only its earlier results matter
	var hello gomcp.InitializeRequest
	hello.Params.ClientInfo = gomcp.Implementation{Name: "visitor", Version: "1"}
	welcome, err := client.Initialize(t.Context(), hello)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	if welcome.ProtocolVersion != revision || welcome.ServerInfo.Name != "glyphoxa" {
		t.Errorf("it speaks %s with %q, want %s with glyphoxa", welcome.ProtocolVersion, welcome.ServerInfo.Name, revision)
	}

	tools, err := client.ListTools(t.Context(), gomcp.ListToolsRequest{})
	if err != nil {
		t.Fatalf("listing the tools: %v", err)
	}
	for _, name := range []string{"roll", "place_entity", "list_approvals"} {
		if !slices.ContainsFunc(tools.Tools, func(tool gomcp.Tool) bool { return tool.Name == name && tool.InputSchema.Type == "object" }) {
			t.Errorf("no %s with an object for arguments is listed", name)
		}
	}

	call := func(name string, args any) (*gomcp.CallToolResult, error) {
		var req gomcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = name, args
		return client.CallTool(t.Context(), req)
	}
	rolled, err := call("roll", map[string]any{"expression": "2d6+3"})
	if err != nil || rolled.IsError {
		t.Fatalf("a roll ends in %+v, %v", rolled, err)
	}
	structure, err := json.Marshal(rolled.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var dice struct {
		Total int
		Rolls []int
	}
	if err := json.Unmarshal(structure, &dice); err != nil || len(dice.Rolls) != 2 || dice.Total != dice.Rolls[0]+dice.Rolls[1]+3 {
		t.Errorf("2d6+3 comes to %s, %v", structure, err)
	}
	if text, ok := rolled.Content[0].(gomcp.TextContent); !ok || !json.Valid([]byte(text.Text)) {
		t.Errorf("the roll in words is %+v", rolled.Content)
	}
	if _, err := call("summon", map[string]any{}); !errors.Is(err, gomcp.ErrInvalidParams) || !strings.Contains(err.Error(), "summon") {
		t.Errorf("a tool that is not there ends in %v, want %v that names it", err, gomcp.ErrInvalidParams)
	}
	wrong, err := call("roll", map[string]any{"expression": 6})
	if err != nil || !wrong.IsError {
		t.Errorf("a number for words ends in %+v, %v; want a result that is an error", wrong, err)
	} else if text, ok := wrong.Content[0].(gomcp.TextContent); !ok || !strings.Contains(text.Text, "expression") {
		t.Errorf("a wrong argument is answered with %+v, want its name", wrong.Content)
	}

	var read gomcp.ReadResourceRequest
	read.Params.URI = "glyphoxa://npcs"
	npcs, err := client.ReadResource(t.Context(), read)
	if err != nil {
		t.Fatalf("reading the NPCs: %v", err)
	}
	if text, ok := npcs.Contents[0].(gomcp.TextResourceContents); !ok || !strings.Contains(text.Text, "Mira") {
		t.Errorf("the NPCs are %+v, want Mira among them", npcs.Contents)
	}
	var get gomcp.GetPromptRequest
	get.Params.Name, get.Params.Arguments = "npc_persona", map[string]string{"npc": "Mira"}
	persona, err := client.GetPrompt(t.Context(), get)
	if err != nil || len(persona.Messages) == 0 {
		t.Errorf("Mira's prompt is %+v, %v", persona, err)
	}
}

// visitArguments are the arguments of tools and prompts that visit.mjs calls.
const visitArguments = `{
	"describe_tool": {"name": "roll"}, "get_rule": {"id": "condition-blinded"}, "get_summary": {"entity_id": "old-bell"},
	"read_file": {"path": "notes.txt"}, "roll": {"expression": "4d6kh3"}, "roll_table": {"table_name": "wild_magic"},
	"investigate": {"question": "Who rings the bell?"}, "search_facts": {"query": "bell"}, "search_rules": {"query": "blinded"}, "search_sessions": {"query": "bell"},
	"encounter_builder": {"level": "3", "party_size": "4"}, "npc_persona": {"npc": "Mira"}, "rules_question": {"question": "What does blinded do?"}
}`

// visitWithTypeScript runs the steps, with every tool, resource and prompt,
// with one major version of the TypeScript SDK.
func (n *behindNginx) visitWithTypeScript(t *testing.T, line, revision string) {
	node, client := peers.Node(t), peers.File(t, "@modelcontextprotocol/client/package.json")
	peers.File(t, "@modelcontextprotocol/sdk/package.json")
	script := filepath.Join(filepath.Dir(client), "..", "..", "..", "visit.mjs")
	host, port, err := net.SplitHostPort(n.at)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, script, line, "https://table.example:"+port+"/mcp", secret("alice"), visitArguments, host)
	cmd.Env = append(cmd.Environ(), "NODE_EXTRA_CA_CERTS="+n.certificate)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &errs)
	}
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	var got struct {
		Protocol                                              string
		Tools, Refused, Unknown, Resources, Prompts, Failures []string
	}
	if err := json.Unmarshal([]byte(said[len(said)-1]), &got); err != nil {
		t.Fatalf("it says %q: %v", said, err)
	}
	for _, f := range got.Failures {
		t.Error(f)
	}
	if got.Protocol != revision {
		t.Errorf("it speaks %q, want %q", got.Protocol, revision)
	}
	if !slices.Contains(got.Tools, "roll") || !slices.Contains(got.Refused, "roll") || len(got.Unknown) != 1 ||
		!slices.Contains(got.Resources, "glyphoxa://npcs") || !slices.Contains(got.Prompts, "npc_persona") {
		t.Errorf("it did %+v, want a roll, one that was refused, a tool that is not there, the NPCs and a prompt", got)
	}
}
