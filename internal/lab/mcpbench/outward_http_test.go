package mcpbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	gomcpserver "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// Names of this file's contenders besides rawSDK.
const (
	outwardServer = "outward"
	markServer    = "mcp-go"
	rawHops       = "both hops"
)

// bearer sends the token with every request.
type bearer struct{ base http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+outwardToken)
	return b.base.RoundTrip(r)
}

// roads are the two eras of the protocol over HTTP.
func roads() []road {
	return []road{{"http", sessions, nil}, {"http-stateless", stateless, &sdk.StreamableHTTPOptions{Stateless: true}}}
}

// road is a protocol era over HTTP.
type road struct {
	name, revision string
	options        *sdk.StreamableHTTPOptions // of the bare server
}

// connect connects a client to endpoint. It also sends the token to bare
// servers, which ignore it.
func (r road) connect(tb testing.TB, endpoint string) *sdk.ClientSession {
	tb.Helper()
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = 4
	tb.Cleanup(base.CloseIdleConnections)
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(tb.Context(), &sdk.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer{base}},
	}, &sdk.ClientSessionOptions{ProtocolVersion: r.revision})
	must(tb, "connecting", err)
	tb.Cleanup(func() { _ = session.Close() }) // the server may already be gone
	if got := session.InitializeResult().ProtocolVersion; got != r.revision {
		tb.Fatalf("the server speaks %s, want %s", got, r.revision)
	}
	return session
}

// dial is connect for a client with a single connection.
func (r road) dial(tb testing.TB, endpoint, tool, args, answer string) contender {
	tb.Helper()
	session := r.connect(tb, endpoint)
	_, err := session.ListTools(tb.Context(), nil)
	must(tb, "listing", err)
	return contender{name: rawSDK, answer: answer, call: func(ctx context.Context) (string, error) {
		return textOf(session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}))
	}}
}

func textOf(r *sdk.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if len(r.Content) == 0 {
		return "", errors.New("the answer is empty")
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok || r.IsError {
		return "", fmt.Errorf("the answer is %+v", r.Content[0])
	}
	return text.Text, nil
}

// bare serves the echo tool with only the SDK. Its answer is text and
// structured content, like this server's.
func (r road) bare(tb testing.TB) string {
	tb.Helper()
	echo := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	echo.AddTool(&sdk.Tool{Name: plain.tool, Description: "Says it back.", InputSchema: plain.schema},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			args := r.Params.Arguments
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(args)}}, StructuredContent: args}, nil
		})
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return echo }, r.options))
	tb.Cleanup(server.Close)
	return server.URL
}

func (o *outward) endpoint() string { return "http://" + o.addr + "/mcp" }

// mark serves the echo tool with only mark3labs/mcp-go. Its answer is text.
func (r road) mark(tb testing.TB) string {
	tb.Helper()
	echo, err := echoGoServer(plain)
	must(tb, "making a server of mcp-go", err)
	server := httptest.NewServer(gomcpserver.NewStreamableHTTPServer(echo))
	tb.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// openRoad connects a client to a bare server, to one of mcp-go and to the
// outward server, all with the same tool.
func (r road) openRoad(tb testing.TB) []contender {
	raw := r.dial(tb, r.bare(tb), plain.tool, plain.args, plain.args)
	mark := r.dial(tb, r.mark(tb), plain.tool, plain.args, plain.args)
	mark.name = markServer
	own := r.dial(tb, newOutward(tb, 0, echoBuiltin(plain)).endpoint(), plain.tool, plain.args, plain.args)
	own.name = outwardServer
	return []contender{raw, mark, own}
}

// openThrough compares a call through the outward server to a tool of a process
// behind it with the sum of the call's two hops.
func (r road) openThrough(tb testing.TB) []contender {
	self, err := os.Executable()
	must(tb, "finding the test binary", err)
	near := r.dial(tb, r.bare(tb), plain.tool, plain.args, plain.args)
	far := connectSDK(tb, &sdk.CommandTransport{Command: exec.Command(self, serveWord)}, stateless, plain)
	both := contender{name: rawHops, answer: plain.args, call: func(ctx context.Context) (string, error) {
		if _, err := near.call(ctx); err != nil {
			return "", err
		}
		return far.call(ctx)
	}}
	server := newOutward(tb, 0)
	register(tb, server.host, config.MCPServerConfig{Name: "echo", Transport: config.TransportStdio, Command: self, Args: []string{serveWord}})
	own := r.dial(tb, server.endpoint(), plain.tool, plain.args, plain.args)
	own.name = outwardServer
	return []contender{both, own}
}

// crowdSize is the number of concurrent callers.
const crowdSize = 64

// crowd runs many callers at once, each with its own session.
func crowd(ctx context.Context, callers []contender, calls int) ([]time.Duration, error) {
	took := make([]time.Duration, calls)
	errs := make([]error, len(callers))
	var wait sync.WaitGroup
	for i, c := range callers {
		wait.Go(func() {
			for n := i; n < calls; n += len(callers) {
				start := time.Now()
				text, err := c.call(ctx)
				took[n] = time.Since(start)
				if err == nil && text != c.answer {
					err = fmt.Errorf("got %q, want %q", text, c.answer)
				}
				if err != nil {
					errs[i] = fmt.Errorf("call %d: %w", n, err)
					return
				}
			}
		})
	}
	wait.Wait()
	return took, errors.Join(errs...)
}

// openCrowds connects a crowd to a bare server, one to mcp-go's server and one
// to the outward server.
func (r road) openCrowds(tb testing.TB) [][]contender {
	tb.Helper()
	servers := []struct{ name, url string }{
		{rawSDK, r.bare(tb)}, {markServer, r.mark(tb)}, {outwardServer, newOutward(tb, 0, echoBuiltin(plain)).endpoint()},
	}
	crowds := make([][]contender, len(servers))
	for i, s := range servers {
		for range crowdSize {
			c := r.dial(tb, s.url, plain.tool, plain.args, plain.args)
			c.name = s.name
			crowds[i] = append(crowds[i], c)
		}
	}
	return crowds
}
