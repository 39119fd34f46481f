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

// contender is one way to call a tool. call returns the result's text, which
// must be answer.
type contender struct {
	name, answer string
	call         func(context.Context) (string, error)
}

// Protocol revisions of the transports.
const (
	sessions  = "2025-11-25"
	stateless = "2026-07-28"
)

// transport is a way to the tool, with all contenders.
type transport struct {
	name string
	// asks is the tool to call.
	asks question
	// gated transports are those with bounds for the host.
	gated bool
	// open connects all contenders, the SDK first and the host last.
	open func(testing.TB, question) []contender
}

func transports() []transport {
	return []transport{
		{name: "in-memory", asks: plain, open: openInMemory},
		{name: "stdio", asks: plain, gated: true, open: openStdio},
		{name: "stdio-nested", asks: nested, open: openStdio},
		{name: "http", asks: plain, gated: true, open: openHTTP},
		{name: "http-stateless", asks: plain, gated: true, open: openStateless},
	}
}

// openInMemory uses no network. The host has no such transport, so it calls a
// built-in tool.
func openInMemory(tb testing.TB, q question) []contender {
	near, far := sdk.NewInMemoryTransports()
	if _, err := echoServer().Connect(tb.Context(), far, nil); err != nil {
		tb.Fatal(err)
	}
	server, err := echoGoServer(q)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := gomcpclient.NewInProcessClient(server)
	if err != nil {
		tb.Fatal(err)
	}
	host := newHost(tb)
	if err := host.RegisterBuiltin(echoBuiltin(q)); err != nil {
		tb.Fatal(err)
	}
	return []contender{connectSDK(tb, near, stateless, q), connectGo(tb, client, stateless, q), viaHost(host, q)}
}

// openStdio starts a process of the same server for each contender, in the same
// environment.
func openStdio(tb testing.TB, q question) []contender {
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
		connectSDK(tb, &sdk.CommandTransport{Command: command()}, stateless, q),
		connectGo(tb, gomcpclient.NewClient(stdio), stateless, q),
		viaHost(host, q),
	}
}

// openHTTP uses sessions and event streams.
func openHTTP(tb testing.TB, q question) []contender { return overLoopback(tb, q, sessions, nil) }

// openStateless uses no sessions and JSON answers.
func openStateless(tb testing.TB, q question) []contender {
	return overLoopback(tb, q, stateless, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func overLoopback(tb testing.TB, q question, revision string, o *sdk.StreamableHTTPOptions) []contender {
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
		connectSDK(tb, &sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: ownClient(tb)}, revision, q),
		connectGo(tb, gomcpclient.NewClient(road, gomcpclient.WithProtocolVersion(revision)), revision, q),
		viaHost(host, q),
	}
}

// ownClient returns a client with its own connections.
func ownClient(tb testing.TB) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}

// connectSDK requires a protocol revision, so that all contenders use the same,
// and lists the tools, as every client does.
func connectSDK(tb testing.TB, t sdk.Transport, revision string, q question) contender {
	tb.Helper()
	// Every stateless call sends the capabilities: as few as the host's.
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, o)
	session, err := client.Connect(tb.Context(), t, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = session.Close() }) // the server may already be gone
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		tb.Fatalf("the SDK speaks %s, want %s", got, revision)
	}
	if _, err := session.ListTools(tb.Context(), nil); err != nil {
		tb.Fatal(err)
	}
	return contender{name: rawSDK, answer: q.args, call: func(ctx context.Context) (string, error) {
		r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: q.tool, Arguments: json.RawMessage(q.args)})
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
func connectGo(tb testing.TB, client *gomcpclient.Client, revision string, q question) contender {
	tb.Helper()
	if err := client.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = client.Close() }) // the server may already be gone
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
	return contender{name: goMCP, answer: q.args, call: func(ctx context.Context) (string, error) {
		var req gomcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = q.tool, json.RawMessage(q.args)
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

func viaHost(host *mcphost.Host, q question) contender {
	return contender{name: ours, answer: q.args, call: func(ctx context.Context) (string, error) {
		r, err := host.ExecuteTool(ctx, q.tool, q.args)
		return r.Text, err
	}}
}
