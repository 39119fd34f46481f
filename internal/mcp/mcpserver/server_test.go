package mcpserver_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a server over dice, a small world and what a test adds.
type fixture struct {
	t      testing.TB
	host   *mcphost.Host
	world  *world.World
	policy *access.Engine
	audit  *access.Log
	server *mcpserver.Server
	keeper *access.Gatekeeper // of web
}

// plan is how a house is built; the zero value is a plain one.
type plan struct {
	tools  []mcphost.BuiltinTool
	config config.Server
	// options changes what the server is made with.
	options func(*mcpserver.Options)
	// readOnly takes away what changes something.
	readOnly bool
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

func newFixture(t testing.TB, p plan) *fixture {
	t.Helper()
	h := &fixture{t: t}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	must(t, "opening memory", err)
	h.world, err = world.Open(t.Context(), store, world.Options{Campaign: "Test", Scene: "A quiet evening."})
	must(t, "opening the world", err)
	if p.config.Limits.Burst == 0 {
		p.config.Limits = config.Limits{Burst: 100_000, PerSecond: 100_000, Body: 4 << 20, Sessions: 100}
	}
	h.policy, err = access.New(access.Options{
		Profiles: p.config.Profiles, Rules: p.config.Policy, Limits: p.config.Limits, ReadOnly: p.readOnly,
	})
	must(t, "making the policy", err)
	h.audit, err = access.OpenLog(t.Context(), filepath.Join(t.TempDir(), "audit.db"), access.LogOptions{Arguments: true})
	must(t, "opening the audit log", err)
	gate := access.NewGate(h.policy, h.audit, nil)
	h.host = mcphost.New(mcphost.WithGate(gate))
	all := append(diceroller.Tools(), worldtool.NewTools(h.world, store)...)
	all = append(all, workflow.Batch())
	for _, def := range append(all, p.tools...) {
		must(t, "registering "+def.Definition.Name, h.host.RegisterBuiltin(def))
	}
	src := mcpserver.LibrarySources{Campaign: "Test", Scene: h.world.Scene, Graph: store, Log: store, Latency: h.host.Status}
	o := mcpserver.Options{
		Version: "test", Instructions: "Be nice.", Policy: h.policy, Gate: gate, Campaign: "Test",
		Resources: mcpserver.NewLibrary(src), Prompts: mcpserver.NewPromptLibrary(src), World: h.world,
	}
	if p.options != nil {
		p.options(&o)
	}
	h.server = mcpserver.New(h.host, o)
	h.run(store)
	return h
}

// run runs the server and the policy until the test ends.
func (h *fixture) run(store *sqlite.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- h.server.Run(ctx) }()
	go func() { done <- h.policy.Run(ctx) }()
	h.t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				h.t.Errorf("Run = %v", err)
			}
		}
		for name, close := range map[string]func() error{"host": h.host.Close, "audit": h.audit.Close, "store": store.Close} {
			if err := close(); err != nil {
				h.t.Errorf("closing %s: %v", name, err)
			}
		}
	})
}

// subject is somebody with a profile.
func (h *fixture) subject(profile string) *access.Subject {
	h.t.Helper()
	p, ok := h.policy.Profile(profile)
	if !ok {
		h.t.Fatalf("no profile %q", profile)
	}
	return &access.Subject{Name: "tester-" + profile, Profile: p, Transport: "test"}
}

// pipe connects an SDK client over a pair of pipes.
func (h *fixture) pipe(profile string, o *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	return h.pipeOf(profile, "", o)
}

// pipeOf is pipe with the protocol's revision to open with; empty is the
// newest.
func (h *fixture) pipeOf(profile, protocol string, o *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.server.Serve(ctx, h.subject(profile), mcpserver.Lines(fromClient, toClient, 0)) }()
	session := h.connect(&sdk.IOTransport{Reader: fromServer, Writer: toServer}, protocol, o)
	h.t.Cleanup(func() {
		_ = session.Close()
		select {
		case err := <-done:
			if err != nil {
				h.t.Errorf("Serve = %v", err)
			}
		case <-time.After(time.Minute):
			h.t.Error("Serve goes on after the client has left")
		}
		cancel()
	})
	return session
}

// connect opens a client's session. In the newest revision a client does not
// wait until the server knows what it listens to; connect does.
func (h *fixture) connect(to sdk.Transport, protocol string, o *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	listens := make(chan struct{}, 1)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				select {
				case listens <- struct{}{}:
				default: // a later one
				}
			}
			return next(ctx, method, req)
		}
	})
	session, err := client.Connect(h.t.Context(), to, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	must(h.t, "connecting", err)
	hears := o != nil && (o.ToolListChangedHandler != nil || o.PromptListChangedHandler != nil || o.ResourceListChangedHandler != nil)
	if hears && session.InitializeResult().ProtocolVersion >= "2026-07-28" {
		select {
		case <-listens:
		case <-time.After(time.Minute):
			h.t.Fatal("the server does not say that it knows what the client listens to")
		}
	}
	return session
}

// web serves the network transports and returns their address.
func (h *fixture) web(cfg config.Server) string {
	h.t.Helper()
	cfg.Limits = config.Limits{Burst: 100_000, PerSecond: 100_000, Body: 4 << 20, Sessions: 100}
	keeper, err := access.NewGatekeeper(h.t.Context(), cfg, access.GatekeeperOptions{Profile: h.policy.Profile})
	must(h.t, "making the gatekeeper", err)
	h.keeper = keeper
	metrics, err := observe.New(observe.Options{})
	must(h.t, "making metrics", err)
	web, err := h.server.Listen(h.t.Context(), "127.0.0.1:0", mcpserver.WebOptions{
		Gatekeeper: keeper, Limits: cfg.Limits, Metrics: metrics, Guard: access.Guard{AllowedOrigins: cfg.AllowedOrigins, AllowedHosts: cfg.AllowedHosts},
	})
	must(h.t, "listening", err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- web.Serve(ctx) }()
	h.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Errorf("Serve = %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return web.Addr()
}

// token is a client's token for a profile.
func token(profile string) string { return "token-for-the-profile-" + profile }

// clients are one client for each profile.
func clients(profiles ...string) []config.Client {
	var all []config.Client
	for _, p := range profiles {
		all = append(all, config.Client{Name: "client-" + p, Token: config.Secret(token(p)), Profile: p})
	}
	return all
}

// bearer sends a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// http connects an SDK client over streamable HTTP. protocol is the revision
// to open with; empty is the newest.
func (h *fixture) http(addr, profile, protocol string, o *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	session := h.connect(&sdk.StreamableClientTransport{
		Endpoint: "http://" + addr + "/mcp", HTTPClient: &http.Client{Transport: bearer{token(profile)}},
	}, protocol, o)
	h.t.Cleanup(func() { _ = session.Close() })
	return session
}

// socket connects an SDK client over WebSocket.
func (h *fixture) socket(addr, profile string, o *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token(profile)}}
	conn, _, err := websocket.Dial(h.t.Context(), "ws://"+addr+"/ws", &websocket.DialOptions{HTTPHeader: header, Subprotocols: []string{"mcp"}})
	must(h.t, "dialling", err)
	session := h.connect(mcpserver.NewConn(mcpserver.WebSocket(conn, 0), mcpserver.ConnOptions{}).Transport(), "", o)
	h.t.Cleanup(func() { _ = session.Close() })
	return session
}

// listed is what a client is shown as tools, by name, over all pages.
func listed(t testing.TB, s *sdk.ClientSession) map[string]*sdk.Tool {
	t.Helper()
	all := map[string]*sdk.Tool{}
	for tool, err := range s.Tools(t.Context(), nil) {
		must(t, "listing", err)
		all[tool.Name] = tool
	}
	return all
}

func call(t testing.TB, s *sdk.ClientSession, name string, args any) (*sdk.CallToolResult, error) {
	t.Helper()
	return s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
}

func firstText(r *sdk.CallToolResult) string {
	if len(r.Content) == 0 {
		return ""
	}
	if c, ok := r.Content[0].(*sdk.TextContent); ok {
		return c.Text
	}
	return ""
}

// decoded is a value after a trip through JSON.
func decoded[T any](t testing.TB, v any) T {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, "encoding", err)
	var out T
	must(t, "decoding "+string(raw), json.Unmarshal(raw, &out))
	return out
}

// echo is a tool that returns what it is given.
func echo(name, permission string) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name, Description: "Returns its arguments.", EstimatedDurationMs: 1},
		Permission: permission, ReadOnly: true,
		Handler: func(_ context.Context, args string) (string, error) { return args, nil },
	}
}
