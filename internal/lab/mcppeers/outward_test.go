package mcppeers_test

import (
	"context"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// stranger is an outside client that may call external tools.
const (
	strangerToken   = "token-of-an-outside-client-1"
	strangerProfile = "player.full"
)

// outward is a host with external servers, and the outward server in front of
// it.
type outward struct {
	host *mcphost.Host
	url  string
}

// serveOutward serves the servers' tools to outside clients over HTTP, until
// the test ends.
func serveOutward(t *testing.T, all ...config.MCPServerConfig) outward {
	t.Helper()
	limits := config.Limits{Burst: 1000, PerSecond: 1000}
	rules, err := access.New(access.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	gate := access.NewGate(rules, nil, nil)
	host := mcphost.New(mcphost.WithGate(gate))
	t.Cleanup(func() { shut(t, host) })
	for _, s := range all {
		if err := host.RegisterServer(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	keeper, err := access.NewGatekeeper(t.Context(), config.Server{
		Clients: []config.Client{{Name: "stranger", Token: strangerToken, Profile: strangerProfile}},
	}, access.GatekeeperOptions{Profile: rules.Profile})
	if err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(host, mcpserver.Options{Version: "1", Policy: rules, Gate: gate})
	web, err := server.Listen(t.Context(), "127.0.0.1:0", mcpserver.WebOptions{Gatekeeper: keeper, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	until(t, server.Run, web.Serve)
	return outward{host, "http://" + web.Addr() + "/mcp"}
}

// until runs a function in the background until the test ends.
func until(t *testing.T, servants ...func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, len(servants))
	for _, run := range servants {
		go func() { ended <- run(ctx) }() // the cleanup waits for it
	}
	t.Cleanup(func() {
		stop()
		for range servants {
			if err := <-ended; err != nil {
				t.Errorf("serving ended with %v", err)
			}
		}
	})
}

// connectTo connects an outside client with a protocol revision.
func (o outward) connectTo(t *testing.T, revision string, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := sdk.NewClient(&sdk.Implementation{Name: "stranger", Version: "1"}, opts)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: o.url, HTTPClient: &http.Client{Transport: vouched{transport}},
	}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // tests check the close where it matters
	return session
}

// vouched sends the stranger's token with every request.
type vouched struct{ next http.RoundTripper }

func (v vouched) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+strangerToken)
	return v.next.RoundTrip(r)
}

// revisions are the protocol's newest revision with sessions, and the newest
// revision.
func revisions() []string { return []string{"2025-11-25", "2026-07-28"} }
