package mcppeers_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// everything is the reference server over stdio.
func everything(t *testing.T) config.MCPServerConfig {
	t.Helper()
	return config.MCPServerConfig{
		Name: "everything", Transport: config.TransportStdio, ConnectTimeout: config.Duration(time.Minute), Command: peers.Node(t),
		Args: []string{peers.File(t, "@modelcontextprotocol/server-everything/dist/index.js"), "stdio"},
		Env:  map[string]config.Secret{"GZIP_ALLOWED_DOMAINS": "127.0.0.1"}, // blocks downloads from elsewhere
	}
}

// direct connects a client directly to a server.
func direct(t *testing.T, s config.MCPServerConfig) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "direct", Version: "1"}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{ // those of the host; servers list more tools for others
			//lint:ignore SA1019 the host has it, for servers that know no other way
			Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}, Sampling: &sdk.SamplingCapabilities{},
		},
	})
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env = os.Environ()
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value.Reveal())
	}
	transport := &sdk.CommandTransport{Command: cmd, TerminateDuration: 100 * time.Millisecond}
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // a server may reject the request to close
	return session
}

// errands are calls of the reference server's tools, one for every kind of
// content and a few that fail.
func errands() []sdk.CallToolParams {
	return []sdk.CallToolParams{
		{Name: "echo", Arguments: map[string]any{"message": "hi"}},
		{Name: "echo", Arguments: map[string]any{"message": "Grüße – ‘quoted’ \"twice\"\n日本"}},
		{Name: "get-sum", Arguments: map[string]any{"a": 1.5, "b": -2}},
		{Name: "get-tiny-image", Arguments: map[string]any{}},
		{Name: "get-annotated-message", Arguments: map[string]any{"messageType": "error", "includeImage": true}},
		{Name: "get-structured-content", Arguments: map[string]any{"location": "Chicago"}},
		{Name: "get-resource-links", Arguments: map[string]any{"count": 3}},
		{Name: "get-resource-reference", Arguments: map[string]any{"resourceType": "Text", "resourceId": 2}},
		{Name: "get-resource-reference", Arguments: map[string]any{"resourceType": "Blob", "resourceId": 3}},
		{Name: "get-resource-reference", Arguments: map[string]any{"resourceType": "Text", "resourceId": -1}},
		{Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": 0.1, "steps": 1}},
		{Name: "gzip-file-as-resource", Arguments: map[string]any{"name": "a.gz", "data": "data:text/plain;base64,aGVsbG8=", "outputType": "resource"}},
		{Name: "gzip-file-as-resource", Arguments: map[string]any{"name": "b.gz", "data": "https://example.com/b", "outputType": "resource"}},
	}
}

// TestPassThrough calls a reference server's tools through the outward server
// over HTTP, and checks that the answers equal the server's own.
func TestPassThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	server := everything(t)
	bare, out := direct(t, server), serveOutward(t, server)
	for _, revision := range revisions() {
		t.Run(revision, func(t *testing.T) {
			through := out.connectTo(t, revision, nil)
			if got := through.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("the server speaks %s, want %s", got, revision)
			}
			for _, params := range errands() {
				want, err := bare.CallTool(t.Context(), &params)
				if err != nil {
					t.Fatalf("%s itself: %v", params.Name, err)
				}
				got, err := through.CallTool(t.Context(), &params)
				if err != nil {
					t.Errorf("%s with %v through us: %v", params.Name, params.Arguments, err)
					continue
				}
				if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
					t.Errorf("%s with %v (-itself +through us):\n%s", params.Name, params.Arguments, diff)
				}
				if got.Meta["executionTimeMs"] == nil || got.Meta["eventsEmitted"] == nil {
					t.Errorf("%s: _meta = %v, want what the call took and caused", params.Name, got.Meta)
				}
			}
		})
	}
}

// clock matches the reference server's creation time of a resource, to the
// second.
var clock = regexp.MustCompile(`created at [0-9:.]+(.?[AP]M)?`)

var justNow = []byte("created just now")

// withoutClock removes times from content: a blob contains its creation time.
func withoutClock(c sdk.Content) sdk.Content {
	embedded, ok := c.(*sdk.EmbeddedResource)
	if !ok || embedded.Resource == nil || !clock.Match(embedded.Resource.Blob) {
		return c
	}
	out, resource := *embedded, *embedded.Resource
	resource.Blob = clock.ReplaceAll(resource.Blob, justNow)
	out.Resource = &resource
	return &out
}

// plain returns an answer as JSON without the outward server's additions and
// without parts that differ between two calls.
func plain(t *testing.T, r *sdk.CallToolResult) any {
	t.Helper()
	bare := *r
	bare.Meta, bare.Content = nil, slices.Clone(r.Content)
	for i, c := range bare.Content {
		bare.Content[i] = withoutClock(c)
	}
	raw, err := json.Marshal(&bare)
	if err != nil {
		t.Fatal(err)
	}
	raw = clock.ReplaceAll(raw, justNow)
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "resultType") // only in the newest revision
	return out
}

// TestDefinitionsPassThrough lists the reference server's tools through the
// outward server, and checks that names, inputs and outputs equal the server's.
func TestDefinitionsPassThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	server := everything(t)
	bare, through := direct(t, server), serveOutward(t, server).connectTo(t, "2025-11-25", nil)
	listed, err := through.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for want, err := range bare.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(listed.Tools, func(got *sdk.Tool) bool { return got.Name == want.Name })
		if i < 0 {
			t.Errorf("%s is not listed through us", want.Name)
			continue
		}
		compared++
		got := listed.Tools[i]
		// An input schema lists what it requires, even if that is nothing (the specification's text 001).
		if schema, ok := got.InputSchema.(map[string]any); ok {
			if required, ok := schema["required"].([]any); ok && len(required) == 0 {
				delete(schema, "required")
			}
		}
		for what, pair := range map[string][2]any{
			"title": {want.Title, got.Title}, "description": {want.Description, got.Description},
			"input": {want.InputSchema, got.InputSchema}, "output": {want.OutputSchema, got.OutputSchema},
		} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s of %s (-itself +through us):\n%s", what, want.Name, diff)
			}
		}
	}
	if compared < 15 {
		t.Errorf("%d tools were compared, want all 15", compared)
	}
}
