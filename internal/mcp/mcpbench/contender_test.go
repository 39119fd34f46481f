package mcpbench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	gomcpclient "github.com/mark3labs/mcp-go/client"
	gomcptransport "github.com/mark3labs/mcp-go/client/transport"
	gomcp "github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// Names of the contenders.
const (
	rawSDK = "go-sdk"
	goMCP  = "mcp-go"
	ours   = "host"
)

// contender is one way to call the tool. call returns the text that came back.
type contender struct {
	name string
	call func(context.Context) (string, error)
}

// Protocol revisions the transports speak.
const (
	sessions  = "2025-11-25"
	stateless = "2026-07-28"
)

// transport is a road to the tool, with everybody who takes it.
type transport struct {
	name string
	// gated transports are those on which host and SDK do the same work.
	gated bool
	// open connects everybody, the SDK first and the host last.
	open func(testing.TB) []contender
}

func transports() []transport {
	return []transport{
		{name: "in-memory", open: openInMemory},
		{name: "stdio", gated: true, open: openStdio},
		{name: "http", gated: true, open: func(tb testing.TB) []contender { return openHTTP(tb, sessions, nil) }},
		{name: "http-stateless", gated: true, open: func(tb testing.TB) []contender {
			return openHTTP(tb, stateless, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
		}},
	}
}

// openInMemory has no network at all. The host has no such transport: what it
// offers there is a built-in tool.
func openInMemory(tb testing.TB) []contender {
	near, far := sdk.NewInMemoryTransports()
	if _, err := echoServer().Connect(tb.Context(), far, nil); err != nil {
		tb.Fatal(err)
	}
	server, err := echoGoServer()
	if err != nil {
		tb.Fatal(err)
	}
	client, err := gomcpclient.NewInProcessClient(server)
	if err != nil {
		tb.Fatal(err)
	}
	host := newHost(tb)
	if err := host.RegisterBuiltin(echoBuiltin()); err != nil {
		tb.Fatal(err)
	}
	return []contender{connectSDK(tb, near, stateless), connectGo(tb, client, stateless), viaHost(host)}
}

// openStdio gives everybody a process of the same server, in the same
// environment.
func openStdio(tb testing.TB) []contender {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	command := func() *exec.Cmd {
		cmd := exec.Command(self, serveWord)
		for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
			if value, ok := os.LookupEnv(name); ok {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
		}
		return cmd
	}
	stdio := gomcptransport.NewStdioWithOptions(self, nil, []string{serveWord},
		gomcptransport.WithCommandFunc(func(context.Context, string, []string, []string) (*exec.Cmd, error) { return command(), nil }))
	host := newHost(tb)
	register(tb, host, config.MCPServerConfig{Name: "echo", Transport: config.TransportStdio, Command: self, Args: []string{serveWord}})
	return []contender{
		connectSDK(tb, &sdk.CommandTransport{Command: command()}, stateless),
		connectGo(tb, gomcpclient.NewClient(stdio), stateless),
		viaHost(host),
	}
}

// openHTTP serves over loopback, as the SDK does in the given revision.
func openHTTP(tb testing.TB, revision string, o *sdk.StreamableHTTPOptions) []contender {
	echo := echoServer()
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return echo }, o))
	tb.Cleanup(server.Close)
	road, err := gomcptransport.NewStreamableHTTP(server.URL, gomcptransport.WithHTTPBasicClient(ownClient(tb)))
	if err != nil {
		tb.Fatal(err)
	}
	host := newHost(tb)
	register(tb, host, config.MCPServerConfig{Name: "echo", Transport: config.TransportStreamableHTTP, URL: server.URL, AllowPrivate: true})
	return []contender{
		connectSDK(tb, &sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: ownClient(tb)}, revision),
		connectGo(tb, gomcpclient.NewClient(road, gomcpclient.WithProtocolVersion(revision)), revision),
		viaHost(host),
	}
}

// ownClient shares its connections with nobody.
func ownClient(tb testing.TB) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}

// connectSDK requires a revision, so that all contenders speak the same, and
// lists the tools, as every client does.
func connectSDK(tb testing.TB, t sdk.Transport, revision string) contender {
	tb.Helper()
	// Capabilities go along with every stateless call: as few as the host's.
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, o)
	session, err := client.Connect(tb.Context(), t, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = session.Close() }) // the server may be gone before
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		tb.Fatalf("the SDK speaks %s, want %s", got, revision)
	}
	if _, err := session.ListTools(tb.Context(), nil); err != nil {
		tb.Fatal(err)
	}
	return contender{name: rawSDK, call: func(ctx context.Context) (string, error) {
		r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: toolName, Arguments: json.RawMessage(payload)})
		if err != nil {
			return "", err
		}
		text, ok := r.Content[0].(*sdk.TextContent)
		if !ok {
			return "", fmt.Errorf("content is a %T", r.Content[0])
		}
		return text.Text, nil
	}}
}

// connectGo is connectSDK for mcp-go.
func connectGo(tb testing.TB, client *gomcpclient.Client, revision string) contender {
	tb.Helper()
	if err := client.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = client.Close() }) // the server may be gone before
	var hello gomcp.InitializeRequest
	hello.Params.ClientInfo = gomcp.Implementation{Name: "bench", Version: "1"}
	welcome, err := client.Initialize(tb.Context(), hello)
	if err != nil {
		tb.Fatal(err)
	}
	if welcome.ProtocolVersion != revision {
		tb.Fatalf("mcp-go speaks %s, want %s", welcome.ProtocolVersion, revision)
	}
	if _, err := client.ListTools(tb.Context(), gomcp.ListToolsRequest{}); err != nil {
		tb.Fatal(err)
	}
	return contender{name: goMCP, call: func(ctx context.Context) (string, error) {
		var req gomcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = toolName, json.RawMessage(payload)
		r, err := client.CallTool(ctx, req)
		if err != nil {
			return "", err
		}
		text, ok := r.Content[0].(gomcp.TextContent)
		if !ok {
			return "", fmt.Errorf("content is a %T", r.Content[0])
		}
		return text.Text, nil
	}}
}

func newHost(tb testing.TB) *mcphost.Host {
	host := mcphost.New()
	tb.Cleanup(func() {
		if err := host.Close(); err != nil {
			tb.Error(err)
		}
	})
	return host
}

func register(tb testing.TB, host *mcphost.Host, cfg config.MCPServerConfig) {
	tb.Helper()
	if err := host.RegisterServer(tb.Context(), cfg); err != nil {
		tb.Fatal(err)
	}
}

func viaHost(host *mcphost.Host) contender {
	return contender{name: ours, call: func(ctx context.Context) (string, error) {
		r, err := host.ExecuteTool(ctx, toolName, payload)
		return r.Text, err
	}}
}
