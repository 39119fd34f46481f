package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/google/shlex"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// checkAll makes the checks that are possible only after everything has been read, because they involve
// several values.
func (l *loader) checkAll() {
	if len(l.cfg.Language) == 0 {
		l.main.AddProblem("languages", "is empty", "name at least one language, such as en")
	}
	l.checkNPCs()
	l.checkServers()
	l.checkToolFloors()
	l.checkProviders()
	l.checkCascades()
	l.checkPolicy()
	l.checkCost()
	checkOrder(l.main, "latency.ceilings", l.cfg.Latency.Ceilings, true)
	checkOrder(l.main, "latency.targets", l.cfg.Latency.Targets, true)
	checkOrder(l.main, "latency.rounds", l.cfg.Latency.Rounds, false)
	l.checkWorld()
	checkRulesDirs(l)
	if l.cfg.Memory.Store == StorePostgres && l.cfg.Memory.DSN == "" {
		l.main.AddProblem("memory.dsn", "is missing, so Glyphoxa does not know the PostgreSQL server", "write dsn: ${GLYPHOXA_DSN} and set that variable to postgres://user:password@host:5432/database")
	}
	l.checkServer()
	checkBrowser(l)
	l.findIdle()
}

// findIdle lists settings that are accepted but have no effect.
func (l *loader) findIdle() {
	idle := func(d *userfile.Document, path userfile.Path, what, fix string) {
		l.cfg.Idle = append(l.cfg.Idle, userfile.Problem{File: d.File(), Line: d.Line(path), What: path.Name() + ": " + what, Fix: fix})
	}
	for _, n := range l.npcs {
		if n.npc.Engine == EngineS2S && !l.cfg.Providers.SpeaksForItself() {
			idle(n.d, n.path.Key("engine"), "there is no speech-to-speech model, so "+n.npc.Name+" uses the language model and the voice instead",
				"set providers.s2s, or write cascaded")
		}
	}
}

// addWarning adds a warning about something odd that still works.
func (l *loader) addWarning(d *userfile.Document, path userfile.Path, what, fix string) {
	if n := path.Name(); n != "" {
		what = n + ": " + what
	}
	l.cfg.Warnings = append(l.cfg.Warnings, userfile.Problem{File: d.File(), Line: d.Line(path), What: what, Fix: fix})
}

// checkNPCs gives every NPC its id and reports names that match two NPCs.
func (l *loader) checkNPCs() {
	ids, names := map[string]located{}, map[string]located{}
	var looks untrusted.NameBook[*NPC]
	for _, n := range l.npcs {
		l.checkID(n, ids)
		l.checkNames(n, names, &looks)
		l.checkTools(n)
		checkMayChange(l, n)
		checkTopics(n)
		warnOfNPC(l, n)
		recordSecretLines(l.cfg, n)
	}
	if len(l.npcs) == 0 && len(l.problems) == 0 {
		l.addWarning(l.main, "npcs", "there is no NPC to play", "add one, or point npcs_dir at a directory with NPC files")
	}
}

// recordSecretLines records the lines of an NPC's secrets.
func recordSecretLines(cfg *Config, n located) {
	var lines []int
	for i := range n.npc.SecretKnowledge {
		lines = append(lines, n.d.Line(n.path.Key("secret_knowledge").Item(i)))
	}
	if cfg.SecretLines == nil {
		cfg.SecretLines = map[string][]int{}
	}
	cfg.SecretLines[n.npc.ID] = lines
}

func (l *loader) checkID(n located, seen map[string]located) {
	root := n.path
	path, what := root.Key("id"), "another NPC has this id"
	if n.npc.ID == "" {
		if n.npc.Name == "" {
			return // already reported as missing
		}
		n.npc.ID = Slug(n.npc.Name)
		path, what = root.Key("name"), "another NPC has the id made from this name"
	}
	if n.npc.ID == "" {
		n.d.AddProblem(path, "no id can be made from the name", "add an id of letters a to z and digits")
		return
	}
	if n.npc.ID == dmOnly {
		n.d.AddProblem(path, "\"dm\" means the DM wherever something is visible to someone", "give the NPC an id of its own")
		return
	}
	if first, taken := seen[n.npc.ID]; taken {
		n.d.AddProblem(path, fmt.Sprintf("%s (%s)", what, place(first)), "give this one an id of its own")
		return
	}
	seen[n.npc.ID] = n
}

// dmOnly is the word for the DM in a campaign's lists of who knows something.
const dmOnly = "dm"

// everyNPC is the word for all NPCs in commands such as /mute all.
const everyNPC = "all"

func (l *loader) checkNames(n located, seen map[string]located, looks *untrusted.NameBook[*NPC]) {
	claim := func(called string, path userfile.Path) {
		key := FoldName(called)
		if key == "" {
			return
		}
		if key == everyNPC {
			n.d.AddProblem(path, "in commands, \"all\" means every NPC", "give the NPC another name")
			return
		}
		first, taken := seen[key]
		switch {
		case !taken:
			seen[key] = n
			if other, alike := looks.Find(called); alike && other != n.npc {
				n.d.AddProblem(path, fmt.Sprintf("%s looks like a name of %s", n.d.Quote(path, called), other.Name), "players could not tell them apart: change one of them")
				return
			}
			looks.Add(called, n.npc)
		case first.npc == n.npc:
			l.addWarning(n.d, path, "the NPC already has this name", "remove it")
		default:
			n.d.AddProblem(path, fmt.Sprintf("another NPC answers to %s (%s)", n.d.Quote(path, called), place(first)), "players could not tell them apart: change one of them")
		}
	}
	root := n.path
	claim(n.npc.Name, root.Key("name"))
	for i, alias := range n.npc.Aliases {
		claim(alias, root.Key("aliases").Item(i))
	}
}

// place returns where an NPC is defined.
func place(n located) string { return n.d.File() + ":" + strconv.Itoa(n.d.Line(n.path)) }

// checkTools reports tools that neither the program nor an MCP server offers. An external server might offer
// such a tool, so this is only a warning if there are external servers.
func (l *loader) checkTools(n located) {
	root := n.path.Key("tools")
	seen := map[string]bool{}
	for i, tool := range n.npc.Tools {
		path := root.Item(i)
		if seen[tool] && tool != "" {
			l.addWarning(n.d, path, n.d.Quote(path, tool)+" is listed twice", "remove one of them")
			continue
		}
		seen[tool] = true
		l.checkTool(n.d, path, tool)
	}
}

// checkMayChange reports tools in may_change that the NPC does not have, or that it may use in any case.
func checkMayChange(l *loader, n located) {
	root := n.path.Key("may_change")
	for i, tool := range n.npc.MayChange {
		path := root.Item(i)
		switch {
		case tool == "":
		case slices.Contains(n.npc.MayChange[:i], tool):
			l.addWarning(n.d, path, n.d.Quote(path, tool)+" is listed twice", "remove one of them")
		case !slices.Contains(n.npc.Tools, tool):
			n.d.AddProblem(path, n.d.Quote(path, tool)+" is not one of this NPC's tools", userfile.Suggest(tool, n.npc.Tools, "add it to tools, or remove it here"))
		case slices.Contains(l.opts.NeverOwn, tool):
			l.addWarning(n.d, path, n.d.Quote(path, tool)+" changes nothing of the NPC's own, so this has no effect", "remove it; the NPC may still use the tool, and you are asked before anything changes")
		}
	}
}

func (l *loader) checkTool(d *userfile.Document, path userfile.Path, tool string) {
	if tool == "" || l.opts.KnownTools == nil || slices.Contains(l.opts.KnownTools, tool) {
		return
	}
	fix := userfile.Suggest(tool, l.opts.KnownTools, "\"glyphoxa tools\" lists all tools")
	what := d.Quote(path, tool) + " is not a built-in tool"
	if l.opts.Alone || slices.ContainsFunc(l.cfg.MCP.Servers, func(s MCPServerConfig) bool { return !s.Disabled }) {
		l.addWarning(d, path, what+", so it must come from an external server", fix)
		if l.cfg.ServerTools == nil {
			l.cfg.ServerTools = map[userfile.Problem]string{}
		}
		l.cfg.ServerTools[l.cfg.Warnings[len(l.cfg.Warnings)-1]] = tool
		return
	}
	d.AddProblem(path, what, fix)
}

func (l *loader) checkToolFloors() {
	for name := range l.cfg.Tools.Floors {
		l.checkTool(l.main, userfile.Path("tools.floors").Key(name), name)
	}
}

// checkServers reports missing settings that a transport needs, and duplicate server names.
func (l *loader) checkServers() {
	seen := map[string]int{}
	for i := range l.cfg.MCP.Servers {
		s := &l.cfg.MCP.Servers[i]
		root := userfile.Path("mcp.servers").Item(i)
		name := root.Key("name")
		if first, taken := seen[FoldName(s.Name)]; taken && s.Name != "" {
			l.main.AddProblem(name, fmt.Sprintf("another server has this name (line %d)", first), "rename one of them")
		} else {
			seen[FoldName(s.Name)] = l.main.Line(name)
		}
		if what := mcp.CheckServerName(s.Name); what != "" && s.Name != "" {
			l.main.AddProblem(name, l.main.Quote(name, s.Name)+" "+what, "name it after what it is for, such as weather")
		}
		switch s.Transport {
		case TransportStdio:
			l.checkStdio(s, root)
		case TransportStreamableHTTP:
			l.checkHTTP(s, root)
		}
	}
}

func (l *loader) checkStdio(s *MCPServerConfig, root userfile.Path) {
	l.requireKey(root, "command", s.Command, TransportStdio)
	l.warnUnused(root, TransportStdio, "url", "auth", "allow_private")
	command := root.Key("command")
	if len(s.Args) > 0 || s.Command == "" {
		return
	}
	words, err := shlex.Split(s.Command)
	switch {
	case err != nil:
		l.main.AddProblem(command, "a quote is not closed", "close it, or give the arguments one by one under args")
	case len(words) == 0:
		l.main.AddProblem(command, "names no program", "write the program and its arguments")
	}
}

func (l *loader) checkHTTP(s *MCPServerConfig, root userfile.Path) {
	l.requireKey(root, "url", s.URL, TransportStreamableHTTP)
	l.warnUnused(root, TransportStreamableHTTP, "command", "args", "env")
	if s.Auth.OAuth != nil && s.Auth.Token != "" {
		l.addWarning(l.main, root.Key("auth").Key("token"), "is not used, because oauth is set", "remove one of them")
	}
}

// requireKey reports that a key required by a transport is missing.
func (l *loader) requireKey(root userfile.Path, key, value, transport string) {
	if value == "" {
		l.main.AddProblem(root.Key(key), "is missing; transport "+transport+" needs it", "add it")
	}
}

// warnUnused warns about keys that a transport ignores.
func (l *loader) warnUnused(root userfile.Path, transport string, keys ...string) {
	for _, key := range keys {
		if path := root.Key(key); l.main.HasValue(path) {
			l.addWarning(l.main, path, "is not used by transport "+transport, "remove it, or change the transport")
		}
	}
}

// checkOrder reports tiers that allow less than the tier below, or, if strict, the same.
func checkOrder[T cmp.Ordered](d *userfile.Document, path userfile.Path, p PerTier[T], strict bool) {
	if d.Broken(path.Key("fast")) || d.Broken(path.Key("standard")) || d.Broken(path.Key("deep")) {
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
		sub := path.Key(key)
		if !d.HasValue(sub) {
			sub = path.Key(below)
		}
		d.AddProblemAt(d.Line(sub), path, key+atLeast+below, "raise one or lower the other")
	}
	step("standard", "fast", p.Fast, p.Standard)
	step("deep", "standard", p.Standard, p.Deep)
}

// checkWorld checks that the campaign file exists.
func (l *loader) checkWorld() {
	world := l.cfg.Campaign.World
	if world == "" {
		return
	}
	info, err := l.src.stat(l.src.join(world))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.main.AddProblem("campaign.world", "there is no such file", "correct the path or create the file")
	case err != nil:
		l.main.AddProblem("campaign.world", unreadableFlaw(err).What, "check the path and its permissions")
	case info.IsDir():
		l.main.AddProblem("campaign.world", "this is a directory", "name a file")
	}
}
