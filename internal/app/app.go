// Package app puts Glyphoxa together: a configuration goes in, a running table,
// a registry or an outward server comes out. It owns the order in which things
// start and stop, and is the only package that knows all others.
//
// Imported by cmd/glyphoxa.
package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/campaign"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
	"github.com/MrWong99/glyphoxa/internal/mcp/gate"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/srd"
)

// ErrUsage marks errors that are the caller's: a bad flag or configuration.
var ErrUsage = errors.New("wrong usage or configuration")

// usageError is an error that says only what is wrong, and is ErrUsage.
type usageError struct{ err error }

func (e usageError) Error() string        { return e.err.Error() }
func (e usageError) Unwrap() error        { return e.err }
func (e usageError) Is(target error) bool { return target == ErrUsage }

// Usage marks err as the caller's.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// LoadConfig reads the configuration at path, or the working directory's, or
// the built-in one.
func LoadConfig(path string) (*config.Config, error) {
	cfg, err := config.Load(path, &config.Options{BuiltIn: glyphoxa.Shipped, KnownTools: builtinNames(), Workflows: workflowNames})
	if err != nil {
		return nil, Usage(err)
	}
	return cfg, nil
}

// App is the parts every command shares: configuration, memory, world and
// registry. Close releases them.
type App struct {
	Config *config.Config
	Host   *mcphost.Host
	Store  *sqlite.Store
	World  *campaign.Campaign // nil if none is configured
	Live   *world.World

	policy  *policy.Engine
	audit   *audit.Log
	metrics *observe.Metrics // nil unless asked for
	gate    *gate.Gate
	flows   *workflows
	// endMetrics ends metrics that are this app's own; nil without.
	endMetrics func(context.Context) error

	client  *http.Client // to models and voices
	log     *slog.Logger
	say     func(string)
	book    *ruleslookup.Book
	work    sync.WaitGroup // background work started by Open
	life    context.Context
	end     context.CancelFunc
	servers chan struct{} // closed when every server was tried once
	mu      sync.Mutex    // guards the fields below
	notices []string
	npcs    []config.NPC           // who may sit at the table; replaced, never changed
	refused []mcphost.ServerStatus // external servers that were not registered
}

// Options tell Open what a command needs.
type Options struct {
	Config *config.Config
	// Log is where operators read; if nil, nothing is logged.
	Log *slog.Logger
	// Say tells a human what takes long; if nil, nobody is told.
	Say func(string)
	// ReadOnly takes every tool away that changes something.
	ReadOnly bool
	// Metrics counts calls, for Version.
	Metrics bool
	Version string
	// Rules, if not nil, is the rule book of another app, which is the same for all.
	Rules *ruleslookup.Book
	// Counted, if not nil, are metrics of another app that outlives this one; its
	// calls are counted there.
	Counted *observe.Metrics
}

// Open brings up memory, world and registry. External servers connect in the
// background; see [App.Ready].
func Open(ctx context.Context, o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	cfg := o.Config
	a := &App{Config: cfg, client: newClient(), log: o.Log, say: o.Say, book: o.Rules, servers: make(chan struct{}), npcs: cfg.NPCs}
	if a.book == nil {
		a.book = ruleslookup.Lazy(srd.FS)
	}
	a.life, a.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := a.open(ctx, o); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *App) open(ctx context.Context, o Options) error {
	a.work.Go(func() {
		if err := a.book.Warm(); err != nil {
			a.log.Error("reading the rule book", "reason", err)
		}
	})
	embedder, err := embedder(a.Config.Providers.Embeddings)
	if err != nil {
		return Usage(err)
	}
	if err := os.MkdirAll(filepath.Dir(a.Config.Memory.Path), 0o700); err != nil {
		return fmt.Errorf("making the data directory: %w; set data_dir to a directory that can be written", plainPath(err))
	}
	if a.Store, err = sqlite.Open(ctx, a.Config.Memory.Path, &sqlite.Options{Embedder: embedder, Logger: a.log}); err != nil {
		return err
	}
	if err := a.govern(ctx, o); err != nil {
		return err
	}
	a.Host = mcphost.New(
		mcphost.WithLogger(a.log), mcphost.WithFloors(a.Config.Tools.Floors),
		mcphost.WithCeilings(time.Duration(a.Config.Latency.Ceilings.Fast), time.Duration(a.Config.Latency.Ceilings.Standard)),
		mcphost.WithGate(a.gate), mcphost.WithKeeper(a.Store, machine()), mcphost.WithRecalibration(time.Duration(a.Config.MCP.Recalibrate)),
	)
	if err := a.Host.Restore(ctx); err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return err
	}
	if a.Live, err = world.Open(ctx, a.Store, world.Options{Campaign: a.Config.Campaign.Name, Scene: a.scene()}); err != nil {
		return err
	}
	for _, t := range a.probed(builtins(a.Config, parts{a.Store, a.Live, a.book, a.audit, a.policy})) {
		if err := a.Host.RegisterBuiltin(t); err != nil {
			return err
		}
	}
	a.flows = &workflows{host: a.Host, server: a.Config.Server, source: a.Config.Source}
	if err := a.flows.read(); err != nil {
		return Usage(err)
	}
	a.work.Go(func() { a.flows.follow(a.life, func(err error) { a.notice(err.Error()) }) })
	a.work.Go(a.keepUp)
	a.connect()
	return nil
}

// outlook is how often the world is looked at for what other processes on the
// same database have changed: a table is played in one, agents are served by
// another.
const outlook = time.Second

// keepUp takes in what other processes change, until the app closes.
func (a *App) keepUp() {
	ticker := time.NewTicker(outlook)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-a.life.Done():
			return
		case <-ticker.C:
		}
		err := a.Live.Refresh(a.life)
		if err != nil && !failing && a.life.Err() == nil {
			a.log.Error("looking for changes of the world", "reason", err)
		}
		failing = err != nil
	}
}

// probed gives the tools that look up an id one that exists, so that they can
// be measured.
func (a *App) probed(all []tools.Tool) []tools.Tool {
	if a.World == nil || len(a.World.Entities) == 0 {
		return all
	}
	for i := range all {
		if all[i].Definition.Name == "get_summary" {
			all[i].Probe = fmt.Sprintf(`{"entity_id":%q}`, a.World.Entities[0].ID) // ids are slugs
		}
	}
	return all
}

// machine names this machine among those that may share a database.
func machine() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// plainPath keeps the path and the reason of a file error.
func plainPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// settle puts the campaign's world into memory: the graph at once, what is
// found by meaning in the background, since an embedder may be far away.
func (a *App) settle(ctx context.Context) error {
	var err error
	if a.World, err = readWorld(a.Config); err != nil || a.World == nil {
		return err
	}
	if err := a.World.Apply(ctx, a.Store, nil); err != nil {
		return err
	}
	a.work.Go(func() {
		if _, err := a.Store.Reindex(a.life); err != nil && a.life.Err() == nil {
			a.notice("the campaign's facts cannot be searched by meaning: " + err.Error())
		}
	})
	return nil
}

// readWorld reads the campaign's world, nil if none is configured.
func readWorld(cfg *config.Config) (*campaign.Campaign, error) {
	if cfg.Campaign.World == "" {
		return nil, nil
	}
	data, err := cfg.ReadWorld()
	if err != nil {
		return nil, Usage(fmt.Errorf("reading the campaign %s: %w; check campaign.world", cfg.Campaign.World, plainPath(err)))
	}
	world, err := campaign.Parse(cfg.Campaign.World, data)
	return world, Usage(err)
}

// notice keeps a message for people until someone takes it.
func (a *App) notice(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notices = append(a.notices, text)
}

// takeNotices returns the messages since the last call.
func (a *App) takeNotices() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.notices
	a.notices = nil
	return n
}

// present are the NPCs who may sit at the table, as they were read last.
func (a *App) present() []config.NPC {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.npcs
}

func (a *App) setNPCs(all []config.NPC) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.npcs = all
}

// warnings are those of a configuration, without those about tools that an
// external server turned out to offer.
func (a *App) warnings(cfg *config.Config) []problem.Problem {
	names := a.Host.Names()
	return slices.DeleteFunc(slices.Clone(cfg.Warnings), func(w problem.Problem) bool {
		tool, ok := cfg.ServerTools[w]
		return ok && slices.Contains(names, tool)
	})
}

// Close stops what Open started, in reverse order, and waits for it.
func (a *App) Close() error {
	a.end()
	var errs []error
	if a.Host != nil {
		errs = append(errs, a.keep(), a.Host.Close())
	}
	a.work.Wait()
	a.client.CloseIdleConnections()
	errs = append(errs, a.closeGovernance())
	if a.Store != nil {
		errs = append(errs, a.Store.Close())
	}
	return errors.Join(errs...)
}

// WriteNotices writes the pending notices to w, one a line.
func (a *App) WriteNotices(w io.Writer) {
	for _, n := range a.takeNotices() {
		fmt.Fprintln(w, "glyphoxa:", n)
	}
}

// keep writes down what the next start should know.
func (a *App) keep() error {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	return a.Host.Keep(ctx)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
