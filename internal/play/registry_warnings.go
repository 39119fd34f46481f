package play

import (
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Warnings returns the warnings of a configuration except the known ones. Warnings about tools of external
// servers are checked against the connected servers' tools.
func (r *Registry) Warnings(cfg *config.Config, known ...userfile.Problem) []userfile.Problem {
	tools, servers := r.Host.Status(), r.Servers()
	var all []userfile.Problem
	for _, w := range cfg.Warnings {
		if slices.Contains(known, w) {
			continue
		}
		if tool, ok := cfg.ServerTools[w]; ok {
			if w.What, w.Fix = aboutTool(w, tool, tools, servers); w.What == "" {
				continue
			}
		}
		all = append(all, w)
	}
	return all
}

// aboutTool returns the problem with the name of a tool that only a server can offer, and how to fix it;
// both are empty if a server offers it.
func aboutTool(w userfile.Problem, name string, tools []mcphost.Status, servers []mcphost.ServerStatus) (what, fix string) {
	var there, away []string
	for _, s := range servers {
		if s.State == "ready" || s.State == "asleep" {
			there = append(there, s.Name)
		} else {
			away = append(away, s.Name)
		}
	}
	where, _, _ := strings.Cut(w.What, " is not a built-in tool") // the position, and the name unless that is a secret
	var names []string
	var renamed string
	for _, t := range tools {
		switch {
		case t.Name == name && t.State == "held":
			return where + " is waiting for approval", fmt.Sprintf("see \"glyphoxa tools diff\", then \"glyphoxa tools approve %s/%s\"", t.Source, name)
		case t.Name == name:
			return "", ""
		case t.Original == name:
			renamed = t.Name
		}
		names = append(names, t.Name)
	}
	if len(there) == 0 {
		return w.What, w.Fix
	}
	what = where + " is not a built-in tool, and no server offers it"
	if len(away) > 0 {
		what = fmt.Sprintf("%s is not a built-in tool, and no connected server offers it (%s not connected)", where, are(away))
	}
	if near := userfile.Nearest(name, names); renamed != "" {
		return what, fmt.Sprintf("that tool is called %q here; \"glyphoxa tools\" says why", renamed)
	} else if near != "" {
		return what, fmt.Sprintf("did you mean %q?", near)
	}
	return what, "\"glyphoxa tools\" lists all tools"
}

// are returns a list of names as the subject of a sentence.
func are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, ", ") + " are"
}
