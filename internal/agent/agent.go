// Package agent is one NPC: who it is, what it remembers of its conversation,
// how high its budget goes, and the prompt that makes a model speak as it.
//
// Imported by internal/table, whose goroutine owns every Agent. It does no I/O.
package agent

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Agent is one NPC at one table. It belongs to the table's goroutine.
type Agent struct {
	NPC   config.NPC
	Muted bool

	system   string
	selector *tier.Selector
	history  []llm.Message
	keep     int // messages of history
	lease    *Lease
	cap      mcp.BudgetTier // BudgetDeep is none
}

// Options configures an Agent.
type Options struct {
	// Selector picks the tier of each utterance. If nil, one with the defaults.
	Selector *tier.Selector
	// History is how many of its own turns the NPC keeps word by word.
	History int
	// Language is what the NPC speaks unless spoken to otherwise, a BCP 47 tag.
	Language string
}

// New returns an NPC at the start of a conversation.
func New(npc config.NPC, o Options) *Agent {
	if o.Selector == nil {
		o.Selector = tier.NewSelector()
	}
	return &Agent{NPC: npc, system: systemPrompt(npc, o.Language), selector: o.Selector, keep: 2 * o.History, cap: mcp.BudgetDeep}
}

// Names are what the NPC is called: its name and aliases.
func (a *Agent) Names() []string { return append([]string{a.NPC.Name}, a.NPC.Aliases...) }

// Persona describes the NPC to a model provider.
func (a *Agent) Persona() llm.Persona {
	return llm.Persona{Name: a.NPC.Name, Lines: a.NPC.Lines}
}

// Lease is a DM's raise of an NPC's tier: it wins over the selector and lifts
// the ceiling until a time or a number of turns, whichever ends first
// (ruling 7).
type Lease struct {
	Tier  mcp.BudgetTier
	Until time.Time
	Turns int // left
}

// Raise gives the NPC a lease. A cap rests while it runs.
func (a *Agent) Raise(l Lease) { a.lease = &l }

// Lower ends a lease and caps the NPC at t, which the selector cannot exceed. A
// cap at DEEP is none.
func (a *Agent) Lower(t mcp.BudgetTier) { a.lease, a.cap = nil, t }

// Lease returns the running lease, nil if there is none.
func (a *Agent) Lease() *Lease {
	if a.lease != nil && (a.lease.Turns <= 0 || !time.Now().Before(a.lease.Until)) {
		a.lease = nil
	}
	return a.lease
}

// Ceiling is the highest tier the NPC may reach now.
func (a *Agent) Ceiling() mcp.BudgetTier {
	if l := a.Lease(); l != nil {
		return max(a.NPC.BudgetTier, l.Tier)
	}
	return min(a.NPC.BudgetTier, a.cap)
}

// Choice is the tier of a turn.
type Choice struct {
	// Tier is min(Ceiling, what the selector chose).
	Tier, Ceiling mcp.BudgetTier
	Reason        string
}

// Choose selects the tier for an utterance and uses up a turn of the lease.
// waiting is how many players wait for an answer.
func (a *Agent) Choose(utterance string, waiting int) Choice {
	ceiling := a.Ceiling()
	override := mcp.BudgetFast
	if l := a.Lease(); l != nil {
		override = l.Tier
		l.Turns--
	}
	a.selector.SetQueueDepth(waiting)
	d := a.selector.Decide(utterance, override)
	return Choice{Tier: min(ceiling, d.Tier), Ceiling: ceiling, Reason: d.Reason}
}

// Remember takes a finished exchange into the history: what the player said
// and what was heard of the answer.
func (a *Agent) Remember(speaker, utterance, answer string) {
	if answer == "" {
		return
	}
	a.history = append(a.history,
		llm.Message{Role: llm.RoleUser, Name: speaker, Content: untrusted.Clean(utterance, maxUtterance)},
		llm.Message{Role: llm.RoleAssistant, Content: answer})
	if drop := len(a.history) - a.keep; drop > 0 {
		a.history = slices.Clone(a.history[drop:])
	}
}
