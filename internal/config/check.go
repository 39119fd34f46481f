package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/google/shlex"

	"github.com/MrWong99/glyphoxa/internal/problem"
)

// check looks at what only shows when everything is read: values that depend on
// each other.
func (l *loader) check() {
	if len(l.cfg.Language) == 0 {
		fault(l.main, "languages", "is empty", "name at least one language, such as en")
	}
	l.checkNPCs()
	l.checkServers()
	l.checkToolFloors()
	l.checkProviders()
	l.checkPolicy()
	checkOrder(l.main, "latency.ceilings", l.cfg.Latency.Ceilings, true)
	checkOrder(l.main, "latency.targets", l.cfg.Latency.Targets, true)
	checkOrder(l.main, "latency.rounds", l.cfg.Latency.Rounds, false)
	l.checkWorld()
	l.checkServer()
}

// warn notes an oddity that keeps nothing from working.
func (l *loader) warn(d *decoder, path, what, fix string) {
	if n := (at{path: path}).name(); n != "" {
		what = n + ": " + what
	}
	l.cfg.Warnings = append(l.cfg.Warnings, problem.Problem{File: d.file, Line: d.line(path), What: what, Fix: fix})
}

// fault notes a problem at path, unless the value there already has one.
func fault(d *decoder, path, what, fix string) {
	if !d.broken[path] {
		d.problem(at{path: path}, d.line(path), what, fix)
	}
}

// checkNPCs gives every NPC its id and looks for names that fit two of them.
func (l *loader) checkNPCs() {
	ids, names := map[string]located{}, map[string]located{}
	for _, n := range l.npcs {
		l.checkID(n, ids)
		l.checkNames(n, names)
		l.checkTools(n)
	}
	if len(l.npcs) == 0 && len(l.problems) == 0 {
		l.warn(l.main, "npcs", "there is no NPC to play", "add one, or point npcs_dir at a directory with NPC files")
	}
}

func (l *loader) checkID(n located, seen map[string]located) {
	root := at{path: n.path}
	path, what := root.key("id").path, "another NPC has this id"
	if n.npc.ID == "" {
		if n.npc.Name == "" {
			return // its absence is already reported
		}
		n.npc.ID = Slug(n.npc.Name)
		path, what = root.key("name").path, "another NPC has the id made from this name"
	}
	if n.npc.ID == "" {
		fault(n.d, path, "no id can be made from the name", "add an id of letters a to z and digits")
		return
	}
	if first, taken := seen[n.npc.ID]; taken {
		fault(n.d, path, fmt.Sprintf("%s (%s)", what, place(first)), "give this one an id of its own")
		return
	}
	seen[n.npc.ID] = n
}

// everyone is the word for all NPCs in orders such as /mute all.
const everyone = "all"

func (l *loader) checkNames(n located, seen map[string]located) {
	claim := func(name, path string) {
		key := foldName(name)
		if key == "" {
			return
		}
		if key == everyone {
			fault(n.d, path, "\"all\" means every NPC in orders", "give the NPC another name")
			return
		}
		first, taken := seen[key]
		switch {
		case !taken:
			seen[key] = n
		case first.npc == n.npc:
			l.warn(n.d, path, "the NPC already has this name", "remove it")
		default:
			fault(n.d, path, fmt.Sprintf("another NPC answers to %s (%s)", n.d.shown(path, name), place(first)), "players could not tell them apart: change one of them")
		}
	}
	root := at{path: n.path}
	claim(n.npc.Name, root.key("name").path)
	for i, alias := range n.npc.Aliases {
		claim(alias, root.key("aliases").item(i).path)
	}
}

// place says where an NPC is defined.
func place(n located) string { return n.d.file + ":" + strconv.Itoa(n.d.line(n.path)) }

// checkTools looks for tools nobody offers. With external servers a name may
// still turn out to exist, so it is only a warning.
func (l *loader) checkTools(n located) {
	root := at{path: n.path}.key("tools")
	seen := map[string]bool{}
	for i, tool := range n.npc.Tools {
		path := root.item(i).path
		if seen[tool] && tool != "" {
			l.warn(n.d, path, n.d.shown(path, tool)+" is listed twice", "remove one of them")
			continue
		}
		seen[tool] = true
		l.checkTool(n.d, path, tool)
	}
}

func (l *loader) checkTool(d *decoder, path, tool string) {
	if tool == "" || l.opts.KnownTools == nil || slices.Contains(l.opts.KnownTools, tool) {
		return
	}
	fix := "see \"glyphoxa tools\" for those there are"
	if near := problem.Nearest(tool, l.opts.KnownTools); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	what := d.shown(path, tool) + " is no built-in tool"
	if slices.ContainsFunc(l.cfg.MCP.Servers, func(s MCPServerConfig) bool { return !s.Disabled }) {
		l.warn(d, path, what+", so it must come from an MCP server", fix)
		if l.cfg.ServerTools == nil {
			l.cfg.ServerTools = map[problem.Problem]string{}
		}
		l.cfg.ServerTools[l.cfg.Warnings[len(l.cfg.Warnings)-1]] = tool
		return
	}
	fault(d, path, what, fix)
}

func (l *loader) checkToolFloors() {
	for name := range l.cfg.Tools.Floors {
		l.checkTool(l.main, at{path: "tools.floors"}.key(name).path, name)
	}
}

// checkServers looks for what each transport needs and for names given twice.
func (l *loader) checkServers() {
	seen := map[string]int{}
	for i := range l.cfg.MCP.Servers {
		s := &l.cfg.MCP.Servers[i]
		root := at{path: "mcp.servers"}.item(i)
		name := root.key("name").path
		if first, taken := seen[foldName(s.Name)]; taken && s.Name != "" {
			fault(l.main, name, fmt.Sprintf("another server has this name (line %d)", first), "rename one of them")
		} else {
			seen[foldName(s.Name)] = l.main.line(name)
		}
		switch s.Transport {
		case TransportStdio:
			l.checkStdio(s, root)
		case TransportStreamableHTTP:
			l.checkHTTP(s, root)
		}
	}
}

func (l *loader) checkStdio(s *MCPServerConfig, root at) {
	l.needs(root, "command", s.Command, TransportStdio)
	l.unused(root, TransportStdio, "url", "auth", "allow_private")
	command := root.key("command").path
	if len(s.Args) > 0 || s.Command == "" {
		return
	}
	words, err := shlex.Split(s.Command)
	switch {
	case err != nil:
		fault(l.main, command, "a quote is opened and never closed", "close it, or give the arguments one by one under args")
	case len(words) == 0:
		fault(l.main, command, "names no program", "write the program and its arguments")
	}
}

func (l *loader) checkHTTP(s *MCPServerConfig, root at) {
	l.needs(root, "url", s.URL, TransportStreamableHTTP)
	l.unused(root, TransportStreamableHTTP, "command", "args", "env")
	if s.Auth.OAuth != nil && s.Auth.Token != "" {
		l.warn(l.main, root.key("auth").key("token").path, "is not used, since oauth is set", "remove one of them")
	}
}

// needs reports a key that a transport cannot do without.
func (l *loader) needs(root at, key, value, transport string) {
	if value == "" {
		fault(l.main, root.key(key).path, "is missing; transport "+transport+" needs it", "add it")
	}
}

// unused warns of keys that a transport does not look at.
func (l *loader) unused(root at, transport string, keys ...string) {
	for _, key := range keys {
		if path := root.key(key).path; l.main.given(path) {
			l.warn(l.main, path, "is not used by transport "+transport, "remove it, or change the transport")
		}
	}
}

// checkOrder reports tiers that allow less than the tier below; with strict, as
// little.
func checkOrder[T cmp.Ordered](d *decoder, path string, p PerTier[T], strict bool) {
	if d.broken[path+".fast"] || d.broken[path+".standard"] || d.broken[path+".deep"] {
		return
	}
	atLeast := " must not allow less than "
	if strict {
		atLeast = " must allow more than "
	}
	step := func(key, below string, low, high T) {
		if low < high || low == high && !strict {
			return
		}
		sub := at{path: path}.key(key).path
		if !d.given(sub) {
			sub = at{path: path}.key(below).path
		}
		d.problem(at{path: path}, d.line(sub), key+atLeast+below, "raise one or lower the other")
	}
	step("standard", "fast", p.Fast, p.Standard)
	step("deep", "standard", p.Standard, p.Deep)
}

// checkWorld looks whether the campaign file is there.
func (l *loader) checkWorld() {
	world := l.cfg.Campaign.World
	if world == "" {
		return
	}
	info, err := l.src.stat(l.src.join(world))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fault(l.main, "campaign.world", "there is no such file", "correct the path or create the file")
	case err != nil:
		fault(l.main, "campaign.world", unreadable(err).What, "check the path and its permissions")
	case info.IsDir():
		fault(l.main, "campaign.world", "this is a directory", "name a file")
	}
}
