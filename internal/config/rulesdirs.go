package config

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// builtInSystem is the rule system that comes with Glyphoxa.
const builtInSystem = "dnd5e"

// RulesDir is a directory with the rules of a system.
type RulesDir struct {
	System string `yaml:"system" json:"system" required:"true" format:"id" doc:"Name of the rule system, as campaign.system and an NPC's rules use it."`
	Path   string `yaml:"path" json:"path" required:"true" format:"path" doc:"Directory of YAML files in Glyphoxa's own format for rules."`
}

// RulesOf returns the rule system in which an NPC looks things up: its own, or otherwise the campaign's. An
// empty npc stands for all other callers.
func (c *Config) RulesOf(npc string) string {
	if npc != "" {
		for i := range c.NPCs {
			if c.NPCs[i].ID == npc && c.NPCs[i].Rules != "" {
				return c.NPCs[i].Rules
			}
		}
	}
	return c.Campaign.System
}

// resolveRules applies resolve to the paths in rules_dirs.
func (c *Config) resolveRules(resolve func(path string) string) {
	for i := range c.RulesDirs {
		if p := &c.RulesDirs[i].Path; *p != "" {
			*p = resolve(*p)
		}
	}
}

// systems lists the available rule systems.
func (c *Config) systems() []string {
	all := []string{builtInSystem}
	for _, d := range c.RulesDirs {
		if !slices.Contains(all, d.System) {
			all = append(all, d.System)
		}
	}
	return all
}

// checkRulesDirs checks that the directories exist and that every selected system has rules. It does not
// check the rules themselves; that happens when the book is opened.
func checkRulesDirs(l *loader) {
	all, taken := l.cfg.systems(), map[string]bool{builtInSystem: true}
	for i, d := range l.cfg.RulesDirs {
		root := userfile.Path("rules_dirs").Item(i)
		if taken[d.System] {
			l.main.AddProblem(root.Key("system"), "there are already rules for this system", "give each system one directory and its own name")
		}
		taken[d.System] = d.System != ""
		if d.Path == "" {
			continue // already reported as missing
		}
		info, err := l.src.stat(l.src.join(d.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.main.AddProblem(root.Key("path"), "there is no such directory", "correct the path or create it")
		case err != nil:
			l.main.AddProblem(root.Key("path"), unreadableFlaw(err).What, "check the path and its permissions")
		case !info.IsDir():
			l.main.AddProblem(root.Key("path"), "this is a file", "name the directory it is in")
		}
	}
	fix := func(system string) string {
		return userfile.Suggest(system, all, "use one of "+strings.Join(all, ", ")+", or add a directory to rules_dirs")
	}
	if s := l.cfg.Campaign.System; s != "" && !slices.Contains(all, s) {
		l.addWarning(l.main, "campaign.system", "there are no rules for this system, so searches use those of dnd5e", fix(s))
	}
	for _, n := range l.npcs {
		if s := n.npc.Rules; s != "" && !slices.Contains(all, s) {
			n.d.AddProblem(n.path.Key("rules"), "there are no rules for this system", fix(s))
		}
	}
}
