package mcpbench

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// outward is the outward server with all parts of the product: tokens, policy,
// records, counters, and a world on disk.
type outward struct {
	host  *mcphost.Host
	world *world.World
	addr  string // host:port
}

// outwardToken is the token of the only client, which has all rights.
const outwardToken = "a-token-for-measurements-alone"

// plenty exceeds every use here, so that the measured server does not reach its
// limits.
var plenty = config.Limits{Burst: 1_000_000, PerSecond: 1_000_000, Body: 4 << 20, Sessions: 1000}

func must(tb testing.TB, doing string, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", doing, err)
	}
}

// newOutward serves the world's tools and some others until the test ends.
func newOutward(tb testing.TB, entities int, more ...tools.Tool) *outward {
	tb.Helper()
	dir := tb.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	store, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	must(tb, "opening memory", err)
	live, err := world.Open(ctx, store, world.Options{Campaign: "Bench"})
	must(tb, "opening the world", err)
	populate(tb, live, entities)
	rules, err := access.New(access.Options{Limits: plenty})
	must(tb, "making the policy", err)
	record, err := access.OpenLog(ctx, filepath.Join(dir, "audit.db"), access.LogOptions{})
	must(tb, "opening the audit log", err)
	metrics, err := observe.New(observe.Options{})
	must(tb, "making metrics", err)
	gate := access.NewGate(rules, record, metrics)
	o := &outward{host: mcphost.New(mcphost.WithGate(gate)), world: live}
	must(tb, "registering tools", o.host.RegisterBuiltin(append(worldtool.NewTools(live, store), more...)...))
	src := mcpserver.LibrarySources{Campaign: "Bench", Scene: live.Scene, Graph: store, Log: store, Latency: o.host.Status}
	server := mcpserver.New(o.host, mcpserver.Options{
		Version: "bench", Policy: rules, Gate: gate, Resources: mcpserver.NewLibrary(src), Prompts: mcpserver.NewPromptLibrary(src), World: live,
	})
	web := o.listen(ctx, tb, server, rules, metrics)
	done := make(chan error, 3)
	for _, run := range []func(context.Context) error{server.Run, rules.Run, web.Serve} {
		go func() { done <- run(ctx) }()
	}
	tb.Cleanup(func() {
		cancel()
		for range cap(done) {
			if err := <-done; err != nil {
				tb.Errorf("serving: %v", err)
			}
		}
		for _, end := range []func() error{o.host.Close, record.Close, store.Close, func() error { return metrics.Shutdown(context.Background()) }} {
			if err := end(); err != nil {
				tb.Errorf("closing: %v", err)
			}
		}
	})
	return o
}

func (o *outward) listen(ctx context.Context, tb testing.TB, s *mcpserver.Server, rules *access.Engine, m *observe.Metrics) *mcpserver.Web {
	tb.Helper()
	cfg := config.Server{Limits: plenty, Clients: []config.Client{{Name: "bench", Token: config.Secret(outwardToken), Profile: "dm"}}}
	keeper, err := access.NewGatekeeper(ctx, cfg, access.GatekeeperOptions{Profile: rules.Profile})
	must(tb, "making the gatekeeper", err)
	web, err := s.Listen(ctx, "127.0.0.1:0", mcpserver.WebOptions{Gatekeeper: keeper, Limits: plenty, Metrics: m})
	must(tb, "listening", err)
	o.addr = web.Addr()
	return web
}

// entityID is the id of the nth entity.
func entityID(n int) string { return fmt.Sprintf("goblin-%d", n) }

func populate(tb testing.TB, w *world.World, entities int) {
	tb.Helper()
	_, err := w.Change(tb.Context(), "", func(tx *world.Tx) error {
		for i := range entities {
			err := tx.Put(memory.Entity{
				ID: entityID(i), Type: "creature", Name: fmt.Sprint("Goblin ", i), Position: &memory.Position{-1, float64(i), 0},
				Description: "Small, green and in a bad mood.",
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	must(tb, "populating the world", err)
}
