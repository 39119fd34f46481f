// Package play opens a campaign and runs sessions in it. A session is a table with its voices, its hearing
// and its indexer, the same for every front. The package knows no front: it is given who types, who sees
// what, and where sound goes.
//
//	game, err := play.Open(ctx, play.Options{Config: cfg})
//	session, err := game.StartSession(ctx, play.SessionOptions{Sink: sink})
//	err = session.Table.Hear(ctx, table.Utterance{Speaker: "Alice", Text: "Hello!"})
//
// The package also opens the store for memory ([OpenStore], files store*.go), and copies it: backups,
// restores, migrations.
//
// A [Registry] fills the tool host with the built-in tools, the workflows and the external servers. Every
// call passes its [Governance]; see files registry*.go.
//
// [Guilds] are the games of many servers. Each guild has its own directory with a database for each of its
// campaigns, its sessions, the members' consent and its feedback, so that no guild can know anything of
// another. Actions of people in a guild go through a [Member]: they are checked against the policy, counted and
// recorded like every call (files guilds*.go).
package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// LoadConfig reads the configuration at path. If path is empty, it reads the one in the working directory, or
// the built-in one. NPCs may list further tools beside those that are known.
func LoadConfig(path string, further ...string) (*config.Config, error) {
	cfg, err := config.Load(path, &config.Options{BuiltIn: glyphoxa.Shipped, KnownTools: append(BuiltinNames(), further...), NeverOwn: NeverOwn(), Workflows: WorkflowNames, Judge: access.Check, JudgeNPC: agent.FindFaults})
	if err != nil {
		return nil, userfile.Usage(err)
	}
	return cfg, nil
}

// Game is an open campaign: its memory, its world and its tools. Sessions are started in it. It is safe for
// concurrent use. Close ends it.
type Game struct {
	Config *config.Config
	Store  memory.Store
	// Campaign is the world as read from its file; nil if none is configured.
	Campaign *world.Campaign
	World    *world.World
	Registry *Registry
	// Chronicle holds the entries learnt from the sessions.
	Chronicle *world.Chronicle
	// Metrics count calls and turns; nil if they are not counted.
	Metrics *observe.Metrics
	// Tracer traces turns; nil if they are not traced.
	Tracer *tracing.Tracer

	onlooker Onlooker                        // nil if there is none
	audience Audience                        // nil if there is none
	client   *http.Client                    // to models and voices
	wrap     func(llm.Provider) llm.Provider // wraps language models; may be nil
	model    llm.Provider                    // answers instead of the configured one; may be nil
	levels   levels                          // loudness of the voices heard so far
	log      *slog.Logger
	groups   memory.Groups // which groups NPCs belong to
	clock    *world.Clock
	work     sync.WaitGroup // background work; ends with stop
	life     context.Context
	stop     context.CancelFunc

	// Mentions lists where others mention users who were forgotten, for the game master.
	Mentions MentionLists

	mu      sync.Mutex // guards the fields below
	notices []string
	npcs    []config.NPC // the NPCs that may be at the table; replaced, never changed in place
	// sessions are the running sessions that can display notices.
	sessions map[*Session]func(level, text string)
}

// Options configure Open.
type Options struct {
	Config *config.Config
	// Log receives messages for operators. If nil, nothing is logged.
	Log *slog.Logger
	// ReadOnly removes all tools that change something.
	ReadOnly bool
	// Metrics, if not nil, count calls and turns. They outlive the game.
	Metrics *observe.Metrics
	// Tracer traces turns. If nil, none is traced.
	Tracer *tracing.Tracer
	// Rules, if not nil, is a rule book to share between games.
	Rules *ruleslookup.Book
	// Client reaches models and voices. If nil, [providers.NewClient] creates one.
	Client *http.Client
	// WrapModel, if not nil, wraps a session's language model, for example to record requests and answers.
	WrapModel func(llm.Provider) llm.Provider
	// Model, if not nil, answers instead of the model of providers.llm.
	Model llm.Provider
	// Tools are registered beside the built-in tools.
	Tools []tools.Tool
	// OpenStore, if not nil, opens the memory instead of [OpenStore]. The game closes it.
	OpenStore func(context.Context, StoreOptions) (memory.Store, error)
	// Onlooker, if not nil, is notified of the game's sessions.
	Onlooker Onlooker
	// Audience, if not nil, hears the game's sessions.
	Audience Audience
}

// Open opens memory, world and registry. External servers connect in the background; see [Registry.Ready].
func Open(ctx context.Context, o Options) (*Game, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Rules == nil {
		o.Rules = OpenRules(o.Config)
	}
	if o.Client == nil {
		o.Client = providers.NewClient()
	}
	g := &Game{Config: o.Config, Metrics: o.Metrics, Tracer: o.Tracer, client: o.Client, wrap: o.WrapModel, model: o.Model, log: o.Log, npcs: o.Config.NPCs, onlooker: o.Onlooker, audience: o.Audience}
	between := cost.WithAccount(context.WithoutCancel(ctx), g.newMeter(false).Account("")) // charged to no session
	g.life, g.stop = context.WithCancel(between)
	if err := g.open(ctx, o); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (g *Game) open(ctx context.Context, o Options) error {
	embedder, err := providers.Embedder(g.Config.Providers.Embeddings)
	if err != nil {
		return userfile.Usage(err)
	}
	stored := StoreOptions{Embedder: embedder, Groups: &g.groups, Logger: g.log}
	if o.OpenStore != nil {
		g.Store, err = o.OpenStore(ctx, stored)
	} else {
		g.Store, err = OpenStore(ctx, g.Config.Memory, stored)
	}
	if err != nil {
		return err
	}
	if g.Chronicle, err = world.OpenChronicle(ctx, g.Store, g.log); err != nil {
		return err
	}
	if err := g.applyCampaign(ctx); err != nil {
		return err
	}
	if !o.ReadOnly {
		importSpilled(ctx, g.Config, g.Store, g.addNotice)
	}
	g.work.Go(func() { RunIndexer(g.life, g.Store, g.log, g.addNotice) })
	g.work.Go(g.finishForgetting)
	if g.World, err = world.Open(ctx, g.Store, world.Options{Campaign: g.Config.Campaign.Name, Scene: g.Scene(), Groups: &g.groups}); err != nil {
		return err
	}
	governance, err := OpenGovernance(ctx, g.Config, o.ReadOnly, g.Metrics, g.log)
	if err != nil {
		return err
	}
	g.Registry, err = OpenRegistry(ctx, RegistryOptions{
		Config: g.Config, Store: g.Store, World: g.World, Dates: g.clock, Rules: o.Rules, Governance: governance,
		Entity: g.exampleEntity(), Tools: o.Tools, Notify: g.addNotice, Log: g.log,
	})
	if err != nil {
		return errors.Join(err, governance.Close())
	}
	g.work.Go(g.followWorld)
	return nil
}

// refreshInterval is how often the world is checked for changes by other processes that use the same
// database. For example, one process may run a table while another serves outside agents.
const refreshInterval = time.Second

// followWorld reads changes by other processes until the game closes.
func (g *Game) followWorld() {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-g.life.Done():
			return
		case <-ticker.C:
		}
		err := g.World.Refresh(g.life)
		if err != nil && !failing && g.life.Err() == nil {
			g.log.Error("looking for changes of the world", "reason", err)
		}
		failing = err != nil
	}
}

// exampleEntity returns the id of an existing entity, or an empty string.
func (g *Game) exampleEntity() string {
	if g.Campaign == nil || len(g.Campaign.Entities) == 0 {
		return ""
	}
	return g.Campaign.Entities[0].ID
}

// applyCampaign stores the campaign's world in memory.
func (g *Game) applyCampaign(ctx context.Context) error {
	var err error
	g.Campaign, err = ReadCampaign(g.Config)
	g.assignGroups(g.npcs)
	if err != nil {
		return err
	}
	if err := g.openClock(ctx); err != nil || g.Campaign == nil {
		return err
	}
	return g.Campaign.Apply(ctx, g.Store)
}

// ReadCampaign reads the world of a configuration's campaign; nil if none is configured.
func ReadCampaign(cfg *config.Config) (*world.Campaign, error) {
	if cfg.Campaign.World == "" {
		return nil, nil
	}
	data, err := cfg.ReadWorld()
	if err != nil {
		return nil, userfile.Usage(fmt.Errorf("reading the campaign %s: %w; check campaign.world", cfg.Campaign.World, userfile.PlainFileError(err)))
	}
	c, err := world.ParseCampaign(cfg.Campaign.World, data)
	return c, userfile.Usage(err)
}

// addNotice sends a notice to the running sessions, or stores it for [Game.DrainNotices] if there are none.
func (g *Game) addNotice(text string) {
	g.mu.Lock()
	told := slices.Collect(maps.Values(g.sessions))
	if len(told) == 0 {
		g.notices = append(g.notices, text)
	}
	g.mu.Unlock()
	for _, tell := range told {
		tell("warning", text)
	}
}

// OfferMentions stores a list of mentions for the game master, and sends a notice about it. The notice
// contains no name, because notices are logged and recorded.
func (g *Game) OfferMentions(m Mentions) {
	g.Mentions.Add(m)
	if n := m.Total(); n > 0 || m.Unfinished {
		g.addNotice(fmt.Sprintf("a player was forgotten, and others mention that player in %s; nothing was changed there: /memory mentions, or Review in the console, shows them once", plural.Count(n, "place", "places")))
	}
}

// DrainNotices returns the notices that were not displayed yet.
func (g *Game) DrainNotices() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.notices
	g.notices = nil
	return n
}

// Cast returns the NPCs that may be at the table, as they were last read. The slice must not be changed.
func (g *Game) Cast() []config.NPC {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.npcs
}

// SetCast sets the NPCs that may be at the table from the next session on.
func (g *Game) SetCast(all []config.NPC) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.npcs = all
	g.assignGroups(all)
}

// assignGroups sets which groups NPCs belong to, according to the campaign and the NPCs' files.
func (g *Game) assignGroups(all []config.NPC) {
	of, sharing := map[string][]string{}, []string(nil)
	for _, n := range all {
		of[n.ID] = append(of[n.ID], n.Knows...)
	}
	if g.Campaign != nil {
		for _, group := range g.Campaign.Groups {
			for _, id := range group.Members {
				of[id] = append(of[id], group.ID)
			}
			if group.Shares {
				sharing = append(sharing, group.ID)
			}
		}
	}
	g.groups.Set(of, sharing...)
}

// prepareTime bounds how long Prepare waits for external servers and for calibration.
const prepareTime = 15 * time.Second

// Prepare reads the rule book, waits for the external servers, measures the tools, and passes notices about
// these to tell; level is as in [table.Notice]. It returns after at most 15 s, or soon after ctx ends.
func (g *Game) Prepare(ctx context.Context, tell func(level, text string)) {
	g.work.Go(func() {
		if err := g.Registry.Rules.Warm(); err != nil {
			g.log.Error("reading the rule book", "reason", err)
		}
	})
	until := ctx
	ctx, cancel := context.WithTimeout(until, prepareTime)
	defer cancel()
	g.Registry.Ready(ctx, func(text string) { tell("info", text) })
	if until.Err() != nil {
		return
	}
	for _, w := range g.Registry.Warnings(g.Config) {
		tell("warning", w.String())
	}
	for _, text := range g.Registry.Unfinished() {
		tell("warning", text)
	}
	if err := g.Registry.Calibrate(ctx); err != nil && ctx.Err() == nil {
		tell("warning", err.Error())
	}
	for _, n := range g.DrainNotices() {
		tell("warning", n)
	}
}

// InBackground runs f on a goroutine that Close waits for. ctx ends when the game closes.
func (g *Game) InBackground(f func(ctx context.Context)) { g.work.Go(func() { f(g.life) }) }

// Scene returns the scene in the configuration or the campaign.
func (g *Game) Scene() string {
	if g.Config.Campaign.Scene != "" {
		return g.Config.Campaign.Scene
	}
	if g.Campaign != nil {
		return g.Campaign.Scene
	}
	return ""
}

// currentScene returns the current scene, even if another process has changed it.
func (g *Game) currentScene() string {
	ctx, cancel := context.WithTimeout(g.life, time.Second)
	defer cancel()
	if err := g.World.Refresh(ctx); err != nil && g.life.Err() == nil {
		g.log.Warn("reading the scene", "reason", err)
	}
	return g.World.Scene()
}

// Close stops everything that Open started, in reverse order, and waits for it. Sessions must be closed
// before.
func (g *Game) Close() error {
	g.stop()
	var errs []error
	if g.Registry != nil {
		errs = append(errs, g.Registry.Close())
	}
	g.work.Wait()
	g.client.CloseIdleConnections()
	if g.Registry != nil {
		errs = append(errs, g.Registry.Governance.Close())
	}
	if g.Store != nil {
		errs = append(errs, g.Store.Close())
	}
	return errors.Join(errs...)
}
