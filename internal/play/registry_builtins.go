package play

import (
	"io/fs"
	"path"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/fileio"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// BuiltinNames returns the names of the built-in tools.
func BuiltinNames() []string {
	var names []string
	for _, t := range builtinTools(&config.Config{}, parts{}) {
		names = append(names, t.Definition.Name)
	}
	return names
}

// NeverOwn returns the built-in tools with which an NPC can change nothing of its own, or needs no permission
// to do so.
func NeverOwn() []string {
	var names []string
	for _, t := range builtinTools(&config.Config{}, parts{}) {
		if t.Own == nil || t.KeepsWorld {
			names = append(names, t.Definition.Name)
		}
	}
	return names
}

// OpenRules returns the rule book of a configuration: the rules that come with Glyphoxa, and those in
// rules_dirs. It is read when it is first used or warmed.
func OpenRules(cfg *config.Config) *ruleslookup.Book {
	var further []ruleslookup.System
	for _, d := range cfg.RulesDirs {
		rules := userfile.Dir(d.Path)
		if cfg.Source != nil {
			if sub, err := fs.Sub(cfg.Source, path.Clean(d.Path)); err == nil {
				rules = sub
			}
		}
		further = append(further, ruleslookup.System{Name: d.System, Rules: rules, Dir: d.Path})
	}
	return ruleslookup.BuiltIn(further...)
}

// parts are the dependencies of built-in tools.
type parts struct {
	store   memory.Store
	live    *world.World
	book    *ruleslookup.Book
	audit   *access.Log
	waiting access.Waiting
	dates   memorytool.Dates // may be nil
}

// builtinTools returns all built-in tools. Without parts they can be listed, but not called.
func builtinTools(cfg *config.Config, p parts) []tools.Tool {
	store, book := p.store, p.book
	if book == nil {
		book = OpenRules(cfg)
	}
	var all []tools.Tool
	all = append(all, diceroller.Tools(diceroller.WithTables(cfg.Tools.Tables))...)
	all = append(all, fileio.NewTools(filepath.Join(cfg.DataDir, "files"), fileio.WithQuota(cfg.Tools.FileQuota))...)
	all = append(all, ruleslookup.NewToolsFor(book, func(c mcp.Caller) string { return cfg.RulesOf(c.NPC) })...)
	var (
		log   memory.SessionLog
		index memory.Index
		graph memory.Graph
	)
	if store != nil {
		log, index, graph = store, store, store
	}
	all = append(all, memorytool.NewTools(log, index, graph, p.dates)...)
	all = append(all, worldtool.NewInvestigation()...)
	all = append(all, worldtool.NewTools(p.live, index)...)
	all = append(all, access.LogTools(p.audit)...)
	all = append(all, access.ApprovalTools(p.waiting)...)
	return append(all, workflow.Batch())
}
