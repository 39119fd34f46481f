package mcpbench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"
	"text/tabwriter"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestOutwardBeatsGateways measures a call through the outward server to a tool of a stdio server beside the same
// call through two other gateways: mcp-proxy and supergateway, both from npm. They forward calls only; the outward
// server also identifies the caller, checks rights and limits, and records the call. It must be the fastest.
func TestOutwardBeatsGateways(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; run without -race, as make test does once more")
	}
	self, err := os.Executable()
	must(t, "finding the test binary", err)
	server := newOutward(t, 0)
	register(t, server.host, config.MCPServerConfig{Name: "echo", Transport: config.TransportStdio, Command: self, Args: []string{serveWord}})
	all := []contender{
		dialGateway(t, outwardServer, server.endpoint()),
		dialGateway(t, "mcp-proxy", peers.ServeMCPProxy(t, self, serveWord)),
		dialGateway(t, "supergateway", peers.ServeSupergateway(t, self, serveWord)),
	}
	e := outwardEveryRun.through
	if *strict {
		e = outwardStrictRun.through
	}
	var found []figures
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(t.Context(), e.patience)
		found, err = measure(ctx, all, e.rounds, e.calls)
		cancel()
		must(t, "measuring", err)
		slower := ""
		for _, f := range found[1:] {
			if f.ratio < 1 {
				slower = f.name
			}
		}
		if slower == "" {
			break
		}
		if try == tries {
			t.Errorf("%s was faster than the outward server in %d measurements", slower, tries)
			break
		}
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows(w, "to a stdio server", found)
	must(t, "printing", w.Flush())
	t.Logf("p50 and p99 in µs, bytes and allocations of this process, ratio of the p50 to the outward server's\n%s", table.String())
}

// dialGateway connects a client to a gateway. It accepts any protocol revision,
// because gateways use different ones.
func dialGateway(tb testing.TB, name, endpoint string) contender {
	tb.Helper()
	http := ownClient(tb)
	http.Transport = bearer{http.Transport}
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: endpoint, HTTPClient: http},
		&sdk.ClientSessionOptions{ProtocolVersion: sessions})
	must(tb, "connecting to "+name, err)
	tb.Cleanup(func() { _ = session.Close() }) // the server may already be gone
	tb.Logf("%s speaks %s", name, session.InitializeResult().ProtocolVersion)
	_, err = session.ListTools(ctx, nil)
	must(tb, "listing the tools of "+name, err)
	return contender{name: name, answer: plain.args, call: func(ctx context.Context) (string, error) {
		return textOf(session.CallTool(ctx, &sdk.CallToolParams{Name: plain.tool, Arguments: json.RawMessage(plain.args)}))
	}}
}
