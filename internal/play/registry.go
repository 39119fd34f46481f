package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// storeStateTimeout bounds how long Close stores state for the next start.
const storeStateTimeout = 5 * time.Second

// Registry holds the tools of one open campaign. It is safe for concurrent use.
type Registry struct {
	Host       *mcphost.Host
	Governance *Governance
	Rules      *ruleslookup.Book
	// Waiting holds the calls that wait for approval.
	Waiting access.Waiting

	config    *config.Config
	notify    func(string)
	workflows *workflows
	work      sync.WaitGroup // background work; ends with stop
	life      context.Context
	stop      context.CancelFunc
	tried     chan struct{} // closed when every server was tried once
	mu        sync.Mutex    // guards the field below
	refused   []mcphost.ServerStatus
}

// RegistryOptions configure a registry. All but Dates, Tools, Entity and Log are required.
type RegistryOptions struct {
	Config     *config.Config
	Store      memory.Store
	World      *world.World
	Rules      *ruleslookup.Book
	Governance *Governance
	// Dates understands times of the world in questions; may be nil.
	Dates memorytool.Dates
	// Tools are registered beside the built-in tools.
	Tools []tools.Tool
	// Entity is the id of an existing entity, used to measure look-ups; may be empty.
	Entity string
	// Notify receives notices for people, from any goroutine.
	Notify func(text string)
	Log    *slog.Logger
}

// OpenRegistry registers the built-in tools and the workflows, and connects to the external servers in the
// background; see
// [Registry.Ready]. The caller must close the registry.
func OpenRegistry(ctx context.Context, o RegistryOptions) (*Registry, error) {
	cfg := o.Config
	masker, err := config.NewMasker(cfg.Server.Mask...)
	if err != nil {
		return nil, userfile.Usage(fmt.Errorf("server.mask: %w", err)) // a loaded configuration has no such error
	}
	r := &Registry{
		Governance: o.Governance, Rules: o.Rules, config: cfg, notify: o.Notify, tried: make(chan struct{}),
		Host: mcphost.New(
			mcphost.WithLogger(o.Log), mcphost.WithFloors(cfg.Tools.Floors),
			mcphost.WithCeilings(time.Duration(cfg.Latency.Ceilings.Fast), time.Duration(cfg.Latency.Ceilings.Standard)),
			mcphost.WithMask(masker), mcphost.WithGate(o.Governance.Gate), mcphost.WithKeeper(o.Store, machineName()), mcphost.WithRecalibration(time.Duration(cfg.MCP.Recalibrate)),
		),
	}
	r.Waiting = access.Waiting{Policy: o.Governance.Policy, Host: r.Host}
	r.life, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := r.register(ctx, o); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.work.Go(func() { r.workflows.followTools(r.life, func(err error) { r.notify(err.Error()) }) })
	r.work.Go(func() { r.workflows.followFiles(r.life, func(err error) { r.notify(err.Error()) }) })
	r.connectServers()
	return r, nil
}

// register adds the built-in tools and the workflows.
func (r *Registry) register(ctx context.Context, o RegistryOptions) error {
	if err := r.Host.Restore(ctx); err != nil {
		return err
	}
	all := builtinTools(o.Config, parts{o.Store, o.World, o.Rules, o.Governance.Audit, r.Waiting, o.Dates})
	if err := r.Host.RegisterBuiltin(append(withExample(all, o.Entity), o.Tools...)...); err != nil {
		return err
	}
	r.workflows = &workflows{host: r.Host, server: o.Config.Server, source: o.Config.Source}
	return userfile.Usage(r.workflows.readFiles())
}

// withExample gives tools that look up an id the id of an existing entity, so that they can be measured.
func withExample(all []tools.Tool, entity string) []tools.Tool {
	if entity == "" {
		return all
	}
	for i := range all {
		if all[i].Definition.Name == "get_summary" {
			all[i].Probe = fmt.Sprintf(`{"entity_id":%q}`, entity) // ids are slugs
		}
	}
	return all
}

// machineName returns the name of this machine, for databases that several machines share.
func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// Calibrate measures the tools. It first reads the rule book, because that would otherwise count as a tool's
// latency.
func (r *Registry) Calibrate(ctx context.Context) error {
	return errors.Join(r.Rules.Warm(), r.Host.Calibrate(ctx))
}

// ReadWorkflows reads the workflow files again. If a file is invalid, nothing changes.
func (r *Registry) ReadWorkflows() error { return r.workflows.readFiles() }

// Unfinished describes the workflows that wait for tools that no server offers. It returns nothing before
// every external server was tried.
func (r *Registry) Unfinished() []string {
	select {
	case <-r.tried:
		return r.workflows.unfinishedWorkflows()
	default:
		return nil
	}
}

// Close disconnects the servers, ends running calls and stores state for the next start. Governance stays
// open.
func (r *Registry) Close() error {
	r.stop()
	ctx, cancel := context.WithTimeout(context.Background(), storeStateTimeout)
	defer cancel()
	err := errors.Join(r.Host.Keep(ctx), r.Host.Close())
	r.work.Wait()
	return err
}
