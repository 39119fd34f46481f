// Package glyphoxa runs a table of NPCs inside another Go program, with tools, a language model and a store of
// that program. It plays by text. For voices, Discord and browsers run the glyphoxa program.
//
// The package is v0: it stays small, and names may change between minor versions.
//
//	game, err := glyphoxa.Open(ctx, glyphoxa.Options{Tools: []glyphoxa.Tool{weather}})
//	if err != nil {
//		return err
//	}
//	defer game.Close()
//	session, err := game.Start(ctx, nil)
//	if err != nil {
//		return err
//	}
//	defer session.Close()
//	answer, err := session.Ask(ctx, "Ben", "Bartok, what is the weather in Thornhollow?")
//
// A [Game] and a [Session] are safe for concurrent use. The program in examples/weather is complete.
package glyphoxa

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Options configure a game. The zero value plays the cast that comes with Glyphoxa, without a model.
type Options struct {
	// Config is the path of a glyphoxa.yaml. If empty, the one in the working directory is read, or the cast
	// that comes with Glyphoxa is played.
	Config string
	// Model answers for the NPCs instead of the configured model. If nil, providers.llm decides. NPCs with a
	// cascade or a speech-to-speech engine keep the models of their own.
	Model llm.Provider
	// Tools are offered beside the built-in tools to those NPCs that list them under tools, and to clients of
	// the game's registry.
	Tools []Tool
	// OpenStore opens the memory of the game instead of the configured store. Close of the game closes the
	// store. If nil, memory.store decides.
	OpenStore func(context.Context, StoreOptions) (memory.Store, error)
	// Cast, if not empty, names the tools that NPCs get beside those in their files, by the NPC's name,
	// alias or id. Use it to give a tool to an NPC whose file does not list it.
	Cast map[string][]string
	// Logger receives messages for operators. If nil, nothing is logged.
	Logger *slog.Logger
}

// StoreOptions are what a store needs to know of the game.
type StoreOptions struct {
	// Embedder turns texts into vectors; nil if none is configured.
	Embedder embeddings.Provider
	// Groups say which groups NPCs belong to. A store must use them to decide which facts an NPC knows.
	Groups *memory.Groups
	// Logger receives warnings; never nil.
	Logger *slog.Logger
}

// Game is an open campaign with its memory, world and tools. Close it when its sessions are closed.
type Game struct {
	game  *play.Game
	close func() error // closes once and remembers the error
}

// Open opens the configured campaign. External MCP servers connect in the background, so an NPC may get their
// tools a moment later. An error names the file and line at fault, where there is one.
func Open(ctx context.Context, o Options) (*Game, error) {
	built := make([]tools.Tool, len(o.Tools))
	names := make([]string, len(o.Tools))
	for i, t := range o.Tools {
		b, err := t.build()
		if err != nil {
			return nil, err
		}
		built[i], names[i] = b, t.Name
	}
	cfg, err := play.LoadConfig(o.Config, names...)
	if err != nil {
		return nil, err
	}
	if err := giveTools(cfg, o.Cast); err != nil {
		return nil, err
	}
	opening := play.Options{Config: cfg, Log: o.Logger, Model: o.Model, Tools: built}
	if o.OpenStore != nil {
		opening.OpenStore = func(ctx context.Context, s play.StoreOptions) (memory.Store, error) {
			return o.OpenStore(ctx, StoreOptions{Embedder: s.Embedder, Groups: s.Groups, Logger: s.Logger})
		}
	}
	g, err := play.Open(ctx, opening)
	if err != nil {
		return nil, err
	}
	return &Game{g, sync.OnceValue(g.Close)}, nil
}

// giveTools adds tools to NPCs.
func giveTools(cfg *config.Config, cast map[string][]string) error {
	for name, more := range cast {
		chosen, err := play.ChooseNPCs(cfg.NPCs, name)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(cfg.NPCs, func(n config.NPC) bool { return n.ID == chosen[0].ID })
		own := slices.Clone(cfg.NPCs[i].Tools)
		for _, tool := range more {
			if !slices.Contains(own, tool) {
				own = append(own, tool)
			}
		}
		cfg.NPCs[i].Tools = own
	}
	return nil
}

// NPCs returns the names of the NPCs that may be at the table.
func (g *Game) NPCs() (names []string) {
	for _, n := range g.game.Cast() {
		names = append(names, n.Name)
	}
	return names
}

// Close closes memory, world and tools, and waits for background work. Another Close does nothing and returns the
// same error.
func (g *Game) Close() error { return g.close() }
