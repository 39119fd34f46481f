package mcphost

import (
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// BudgetEnforcer is one immutable state of the registry: every tool with its
// tier, and for each tier exactly the definitions a model may see there. What
// is over budget is not in the list, so no model can ask for it in good faith.
//
// A host puts another in its place when something changes, which shares with it what
// has not; readers never wait.
type BudgetEnforcer struct {
	number  uint64         // grows from one state to the next
	entries []*entry       // by name
	byName  map[string]int // index into entries
	// current is the index of the registered tool that has the vitals.
	current map[*vitals]int
	led     []int // the entries whose tier follows from those of others
	visible [mcp.TierCount][]llm.ToolDefinition
}

// enforce builds the state from the registered tools: built-ins first, since
// they keep their names (docs/adr/0010). What is as it was before is taken over.
func enforce(all []*tool, names *register, ceilings [2]time.Duration, before *BudgetEnforcer) *BudgetEnforcer {
	b := &BudgetEnforcer{
		number: before.number + 1, entries: make([]*entry, 0, len(all)),
		byName: make(map[string]int, len(all)), current: make(map[*vitals]int, len(all)),
	}
	taken := func(name string) bool { _, ok := b.byName[name]; return ok }
	for _, t := range all {
		def := t.Definition
		if t.remote != nil {
			def.Name = names.nameOf(t.source, def.Name, taken)
		}
		e := before.entryOf(t)
		if e == nil || !e.holds(def.Name, ceilings) {
			e = b.newEntry(t, def, ceilings)
		}
		b.byName[def.Name] = len(b.entries)
		b.entries = append(b.entries, e)
	}
	slices.SortFunc(b.entries, func(x, y *entry) int { return strings.Compare(x.def.Name, y.def.Name) })
	for i, e := range b.entries {
		b.byName[e.def.Name] = i
		b.current[e.vitals] = i
		if e.led() {
			b.led = append(b.led, i)
		}
	}
	for _, e := range b.entries {
		if e.number == b.number { // others are read meanwhile
			b.applyNeeds(e)
		}
	}
	for _, tier := range mcp.Tiers() {
		b.listVisible(tier)
	}
	return b
}

// withMoved is the state once the tools with these vitals have been placed anew, and
// those whose tier follows from others'. All else is shared with b.
func (b *BudgetEnforcer) withMoved(moved map[*vitals]struct{}, ceilings [2]time.Duration) *BudgetEnforcer {
	out := *b
	out.number++
	out.entries = slices.Clone(b.entries)
	touched := slices.Clone(b.led)
	for v := range moved {
		if i, there := b.current[v]; there && !b.entries[i].led() {
			touched = append(touched, i)
		}
	}
	for _, i := range touched {
		out.entries[i] = out.newEntry(b.entries[i].tool, b.entries[i].def, ceilings)
	}
	for _, i := range touched {
		out.applyNeeds(out.entries[i])
	}
	for _, tier := range mcp.Tiers() {
		if slices.ContainsFunc(touched, func(i int) bool { return b.entries[i].shownIn(tier) != out.entries[i].shownIn(tier) }) {
			out.listVisible(tier)
		}
	}
	return &out
}

// newEntry places a tool. What it owes to others is yet to be filled in.
func (b *BudgetEnforcer) newEntry(t *tool, def llm.ToolDefinition, ceilings [2]time.Duration) *entry {
	e := &entry{tool: t, def: def, number: b.number, verdict: t.assess(ceilings, t.measure())}
	e.own = e.tier
	t.listed.Store(int32(e.tier))
	return e
}

// entryOf returns the entry of t itself, nil if there is none.
func (b *BudgetEnforcer) entryOf(t *tool) *entry {
	if i, ok := b.current[t.vitals]; ok && b.entries[i].tool == t {
		return b.entries[i]
	}
	return nil
}

// listVisible makes the list of what a model may see in a tier.
func (b *BudgetEnforcer) listVisible(tier mcp.BudgetTier) {
	n := 0
	for _, e := range b.entries {
		if e.shownIn(tier) {
			n++
		}
	}
	list := make([]llm.ToolDefinition, 0, n)
	for _, e := range b.entries {
		if e.shownIn(tier) {
			list = append(list, e.def)
		}
	}
	b.visible[tier] = list
}

// applyNeeds fills in what an entry owes to others: a tool is no faster than those
// it needs, and its target names theirs. A tool that needs one that is not
// there is in no list.
func (b *BudgetEnforcer) applyNeeds(e *entry) {
	e.target = b.target(e, 0)
	for _, need := range b.needs(e, nil) {
		n := b.lookup(need)
		if n == nil {
			e.idle = true
			e.reason = "needs " + need
			return
		}
		if n.tier > e.tier {
			e.tier, e.reason = n.tier, "needs "+need
		}
	}
}

// maxNesting bounds tools that need tools; what is deeper is refused at the
// call.
const maxNesting = 4

// needs lists what an entry needs, directly and through others.
func (b *BudgetEnforcer) needs(e *entry, seen []string) []string {
	for _, name := range e.Needs {
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		if n := b.lookup(name); n != nil {
			seen = b.needs(n, seen)
		}
	}
	return seen
}

// target describes an entry and what it needs to those who decide on rights.
func (b *BudgetEnforcer) target(e *entry, depth int) mcp.Target {
	t := mcp.Target{Tool: e.def.Name, Source: e.source, Permission: e.permission(), ReadOnly: e.harmless(), Changes: e.changesWorld()}
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

// Tools returns what fits tier, ordered by name. The caller must not change
// the elements.
func (b *BudgetEnforcer) Tools(tier mcp.BudgetTier) []llm.ToolDefinition {
	if !tier.Valid() {
		return nil
	}
	return b.visible[tier]
}

// lookup returns the entry called name, nil if there is none.
func (b *BudgetEnforcer) lookup(name string) *entry {
	i, ok := b.byName[name]
	if !ok {
		return nil
	}
	return b.entries[i]
}

// holds reports whether the tool is still registered in this state.
func (b *BudgetEnforcer) holds(name string, t *tool) bool {
	e := b.lookup(name)
	return e != nil && e.tool == t
}

// heir returns the registered tool that t is or has become when its definition
// changed; nil if there is none.
func (b *BudgetEnforcer) heir(t *tool) *tool {
	if i, ok := b.current[t.vitals]; ok {
		return b.entries[i].tool
	}
	return nil
}
