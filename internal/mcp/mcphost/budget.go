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
// A host replaces its enforcer as a whole when something changes; readers
// never wait.
type BudgetEnforcer struct {
	entries []entry        // by name
	byName  map[string]int // index into entries
	// current is the registered tool that has the vitals.
	current map[*vitals]*tool
	visible [mcp.TierCount][]llm.ToolDefinition
}

// enforce builds the state from the registered tools: built-ins first, since
// they keep their names (docs/adr/0010).
func enforce(all []*tool, names *register, ceilings [2]time.Duration) *BudgetEnforcer {
	b := &BudgetEnforcer{byName: make(map[string]int, len(all)), entries: make([]entry, 0, len(all)), current: make(map[*vitals]*tool, len(all))}
	taken := func(name string) bool { _, ok := b.byName[name]; return ok }
	for _, t := range all {
		def := t.Definition
		if t.remote != nil {
			def.Name = names.nameOf(t.source, def.Name, taken)
		}
		e := entry{tool: t, def: def, verdict: t.assess(ceilings, t.measure())}
		t.listed.Store(int32(e.tier))
		b.byName[def.Name] = len(b.entries)
		b.entries = append(b.entries, e)
		b.current[t.vitals] = t
	}
	slices.SortFunc(b.entries, func(x, y entry) int { return strings.Compare(x.def.Name, y.def.Name) })
	for i := range b.entries {
		b.byName[b.entries[i].def.Name] = i
	}
	for i := range b.entries {
		b.applyNeeds(&b.entries[i])
	}
	for _, tier := range mcp.Tiers() {
		list := []llm.ToolDefinition{}
		for i := range b.entries {
			if b.entries[i].tier <= tier && !b.entries[i].idle {
				list = append(list, b.entries[i].def)
			}
		}
		b.visible[tier] = slices.Clip(list)
	}
	return b
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
	t := mcp.Target{Tool: e.def.Name, Source: e.source, Permission: e.permission(), ReadOnly: e.harmless()}
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
	return &b.entries[i]
}

// holds reports whether the tool is still registered in this state.
func (b *BudgetEnforcer) holds(name string, t *tool) bool {
	e := b.lookup(name)
	return e != nil && e.tool == t
}

// heir returns the registered tool that t is or has become when its definition
// changed; nil if there is none.
func (b *BudgetEnforcer) heir(t *tool) *tool { return b.current[t.vitals] }
