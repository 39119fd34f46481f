package mcphost

import (
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// BudgetEnforcer is an immutable snapshot of the registry: every tool with its tier and, for each tier,
// exactly the definitions that a model may see. Tools that are over budget are not in the list, so a model
// that keeps to its list never calls them.
//
// The host publishes a new snapshot after every change. Unchanged entries are shared with the previous
// snapshot, and readers never block.
type BudgetEnforcer struct {
	revision uint64         // grows with every snapshot
	entries  []*entry       // by name
	byName   map[string]int // index into entries
	byStats  map[*stats]int // index into entries
	derived  []int          // indexes of entries whose tier depends on other tools
	visible  [mcp.TierCount][]llm.ToolDefinition
}

// entry is a tool in a snapshot.
type entry struct {
	*tool
	def llm.ToolDefinition // under its registered name
	placement
	ownTier           mcp.BudgetTier // ignores the tools it needs
	target            mcp.Target
	missingDependency bool   // a tool it needs is not registered, so it is in no list
	revision          uint64 // revision of the snapshot it was created for
}

// visibleIn reports whether the list of a tier shows the tool.
func (e *entry) visibleIn(tier mcp.BudgetTier) bool { return e.tier <= tier && !e.missingDependency }

// upToDate reports whether an entry of an earlier snapshot can be reused.
func (e *entry) upToDate(name string, ceilings [2]time.Duration) bool {
	return !e.isDerived() && e.def.Name == name && e.ownTier == e.computeTier(ceilings, e.measure()) && e.target.ReadOnly == e.trustedReadOnly()
}

// newBudgetEnforcer builds a snapshot of the registered tools. Built-in tools must come first in all, because
// they keep their own names (docs/adr/0010). Unchanged entries are taken from before.
func newBudgetEnforcer(all []*tool, names *nameTable, ceilings [2]time.Duration, before *BudgetEnforcer) *BudgetEnforcer {
	b := &BudgetEnforcer{
		revision: before.revision + 1, entries: make([]*entry, 0, len(all)),
		byName: make(map[string]int, len(all)), byStats: make(map[*stats]int, len(all)),
	}
	used := func(name string) bool { _, ok := b.byName[name]; return ok }
	for _, t := range all {
		def := t.Definition
		if t.remote != nil {
			def.Name = names.nameOf(t.source, def.Name, used)
		}
		e := before.entryOf(t)
		if e == nil || !e.upToDate(def.Name, ceilings) {
			e = b.newEntry(t, def, ceilings)
		}
		b.byName[def.Name] = len(b.entries)
		b.entries = append(b.entries, e)
	}
	slices.SortFunc(b.entries, func(x, y *entry) int { return strings.Compare(x.def.Name, y.def.Name) })
	for i, e := range b.entries {
		b.byName[e.def.Name] = i
		b.byStats[e.stats] = i
		if e.isDerived() {
			b.derived = append(b.derived, i)
		}
	}
	for _, e := range b.entries {
		if e.revision == b.revision { // older entries must not change, because other goroutines read them
			b.applyDependencies(e)
		}
	}
	for _, tier := range mcp.Tiers() {
		b.listVisible(tier)
	}
	return b
}

// withMoved returns a snapshot with the current tiers of the moved tools and of all derived ones. It shares
// everything else with b.
func (b *BudgetEnforcer) withMoved(moved map[*stats]struct{}, ceilings [2]time.Duration) *BudgetEnforcer {
	out := *b
	out.revision++
	out.entries = slices.Clone(b.entries)
	touched := slices.Clone(b.derived)
	for s := range moved {
		if i, ok := b.byStats[s]; ok && !b.entries[i].isDerived() {
			touched = append(touched, i)
		}
	}
	for _, i := range touched {
		out.entries[i] = out.newEntry(b.entries[i].tool, b.entries[i].def, ceilings)
	}
	for _, i := range touched {
		out.applyDependencies(out.entries[i])
	}
	for _, tier := range mcp.Tiers() {
		if slices.ContainsFunc(touched, func(i int) bool { return b.entries[i].visibleIn(tier) != out.entries[i].visibleIn(tier) }) {
			out.listVisible(tier)
		}
	}
	return &out
}

// newEntry places a tool by its own latency. Call applyDependencies after all entries have been created.
func (b *BudgetEnforcer) newEntry(t *tool, def llm.ToolDefinition, ceilings [2]time.Duration) *entry {
	e := &entry{tool: t, def: def, revision: b.revision, placement: t.explainTier(ceilings, t.measure())}
	e.ownTier = e.tier
	t.listedTier.Store(int32(e.tier))
	return e
}

// entryOf returns the entry of exactly this registration of a tool, or nil.
func (b *BudgetEnforcer) entryOf(t *tool) *entry {
	if i, ok := b.byStats[t.stats]; ok && b.entries[i].tool == t {
		return b.entries[i]
	}
	return nil
}

// listVisible builds the list that models see in a tier.
func (b *BudgetEnforcer) listVisible(tier mcp.BudgetTier) {
	n := 0
	for _, e := range b.entries {
		if e.visibleIn(tier) {
			n++
		}
	}
	list := make([]llm.ToolDefinition, 0, n)
	for _, e := range b.entries {
		if e.visibleIn(tier) {
			list = append(list, e.def)
		}
	}
	b.visible[tier] = list
}

// applyDependencies updates an entry for the tools it needs. The entry is no faster than they are, its target names
// them, and it is in no list if one of them is missing.
func (b *BudgetEnforcer) applyDependencies(e *entry) {
	e.target = b.target(e, 0)
	for _, need := range b.dependencies(e, nil) {
		n := b.lookup(need)
		if n == nil {
			e.missingDependency = true
			e.reason = "needs " + need
			return
		}
		if n.tier > e.tier {
			e.tier, e.reason = n.tier, "needs "+need
		}
	}
}

// dependencies appends to seen the names of all tools that an entry dependencies, directly or indirectly.
func (b *BudgetEnforcer) dependencies(e *entry, seen []string) []string {
	for _, name := range e.Needs {
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		if n := b.lookup(name); n != nil {
			seen = b.dependencies(n, seen)
		}
	}
	return seen
}

// maxNesting bounds how deep a target describes the tools that a tool needs. Deeper calls are refused at the
// time of the call.
const maxNesting = 4

// target describes an entry and the tools it needs to the gate.
func (b *BudgetEnforcer) target(e *entry, depth int) mcp.Target {
	t := mcp.Target{Tool: e.def.Name, Source: e.source, Permission: e.requiredPermission(), ReadOnly: e.trustedReadOnly(), Changes: e.changesWorld()}
	if depth >= maxNesting {
		return t
	}
	for _, name := range e.Needs {
		if n := b.lookup(name); n != nil {
			t.Needs = append(t.Needs, b.target(n, depth+1))
		}
	}
	return t
}

// Tools returns the definitions that fit tier, ordered by name. The caller must not change the
// elements.
func (b *BudgetEnforcer) Tools(tier mcp.BudgetTier) []llm.ToolDefinition {
	if !tier.Valid() {
		return nil
	}
	return b.visible[tier]
}

// lookup returns the entry with this name, or nil.
func (b *BudgetEnforcer) lookup(name string) *entry {
	i, ok := b.byName[name]
	if !ok {
		return nil
	}
	return b.entries[i]
}

// contains reports whether t is still registered under name.
func (b *BudgetEnforcer) contains(name string, t *tool) bool {
	e := b.lookup(name)
	return e != nil && e.tool == t
}

// latest returns the current registration of t, whose definition may have changed, or nil if the tool is no
// longer registered.
func (b *BudgetEnforcer) latest(t *tool) *tool {
	if i, ok := b.byStats[t.stats]; ok {
		return b.entries[i].tool
	}
	return nil
}
