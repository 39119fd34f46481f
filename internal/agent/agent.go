// Package agent is one NPC: who it is, what it remembers of its conversation,
// how high its budget goes, and the prompt that makes a model speak as it.
//
// It does no I/O, and an Agent belongs to one goroutine.
package agent

import (
	"reflect"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Agent is one NPC at one table. It belongs to the table's goroutine.
type Agent struct {
	NPC   config.NPC
	Muted bool
	// Left says that the NPC is not at the table any more. It may come back.
	Left bool

	system   string
	selector *tier.Selector
	history  []Exchange
	dropped  bool     // some exchanges have left the history
	folded   []folded // what is left of those
	edits    int      // how often lines were edited that are in the history, or may have been
	keep     int      // exchanges of history
	lease    *Lease
	cap      mcp.BudgetTier // BudgetDeep is none
	order    string         // what the DM wants of it
	orderFor int            // turns left
	found    []string       // what tools told in a turn that was cut off
	said     []string       // sentences, the last ones
	told     []string       // secrets that it may tell
	withheld int            // times that it was kept from saying something
	version  int            // of what Snapshot returns
}

// Options configures an Agent.
type Options struct {
	// Selector picks the tier of each utterance. If nil, one with the defaults.
	Selector *tier.Selector
	// History is how many of its own turns the NPC keeps word by word at most.
	History int
	// Language is what the NPC speaks unless spoken to otherwise, a BCP 47 tag.
	Language string
}

// New returns an NPC at the start of a conversation.
func New(npc config.NPC, o Options) *Agent {
	if o.Selector == nil {
		o.Selector = tier.NewSelector()
	}
	return &Agent{NPC: npc, system: systemPrompt(npc, o.Language), selector: o.Selector, keep: o.History, cap: mcp.BudgetDeep}
}

// Become makes the NPC the one that b is, and reports whether that is any
// different. It keeps its history, its lease, its cap and its directive, stays
// muted if it is, and its selector keeps what it has chosen. b is not used any
// more.
func (a *Agent) Become(b *Agent) bool {
	if a.system == b.system && a.keep == b.keep && reflect.DeepEqual(a.NPC, b.NPC) {
		return false
	}
	a.NPC, a.system, a.keep = b.NPC, b.system, b.keep
	a.version++
	return true
}

// Names are what the NPC is called: its name and aliases.
func (a *Agent) Names() []string { return append([]string{a.NPC.Name}, a.NPC.Aliases...) }

// Persona describes the NPC to a model provider.
func (a *Agent) Persona() llm.Persona {
	language, _, _ := strings.Cut(a.NPC.Voice.Language, "-")
	return llm.Persona{Name: a.NPC.Name, Language: language, Lines: a.NPC.Lines, Topics: a.NPC.Topics}
}

// Lease is a DM's raise of an NPC's tier: it wins over the selector and lifts
// the ceiling until a time or a number of turns, whichever ends first
// (docs/adr/0007).
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

// EndLease ends a lease before its time. A cap counts again.
func (a *Agent) EndLease() { a.lease = nil }

// Cap is the tier the NPC is capped at, DEEP if it is not.
func (a *Agent) Cap() mcp.BudgetTier { return a.cap }

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

// ReasonOverride is the [Choice.Reason] of a tier that a lease demands.
const ReasonOverride = tier.ReasonOverride

// Choice is the tier of a turn.
type Choice struct {
	// Tier is min(Ceiling, what the selector chose).
	Tier, Ceiling mcp.BudgetTier
	Reason        string
}

// Plain reports whether the utterance itself asked for nothing: neither a keyword nor
// the DM had a say in the tier.
func (c Choice) Plain() bool {
	return c.Reason == tier.ReasonFirst || c.Reason == tier.ReasonDefault || c.Reason == tier.ReasonQueue
}

// Raised returns the choice where a search before the model found something to ask tools about: like a
// keyword of STANDARD, it raises the tier of a line that has none, within the ceiling. It changes nothing
// while players wait, and nothing that the DM or a keyword decided.
func (c Choice) Raised(reason string) Choice {
	if reason != "" && c.Reason == tier.ReasonDefault {
		c.Tier, c.Reason = min(c.Ceiling, mcp.BudgetStandard), reason
	}
	return c
}

// Choose selects the tier for an utterance and uses up a turn of the lease.
// waiting is how many players wait for an answer.
func (a *Agent) Choose(utterance string, waiting int) Choice {
	c := a.chooseWith(utterance, waiting, a.selector.Decide)
	if l := a.Lease(); l != nil {
		l.Turns--
	}
	return c
}

// PeekChoice is what Choose would say now. It uses nothing up.
func (a *Agent) PeekChoice(utterance string, waiting int) Choice {
	return a.chooseWith(utterance, waiting, a.selector.Peek)
}

func (a *Agent) chooseWith(utterance string, waiting int, decide func(string, mcp.BudgetTier) tier.Decision) Choice {
	ceiling := a.Ceiling()
	override := mcp.BudgetFast
	if l := a.Lease(); l != nil {
		override = l.Tier
	}
	a.selector.SetQueueDepth(waiting)
	d := decide(utterance, override)
	return Choice{Tier: min(ceiling, d.Tier), Ceiling: ceiling, Reason: d.Reason}
}

// Direct tells the NPC how to play its next turns, such as "lie about the key".
// An empty text or no turns take that back.
func (a *Agent) Direct(text string, turns int) {
	a.version++
	a.order, a.orderFor = text, turns
	if text == "" || turns <= 0 {
		a.order, a.orderFor = "", 0
	}
}

// Directive returns what the NPC was directed to do, and for how many turns yet.
func (a *Agent) Directive() (text string, turns int) { return a.order, a.orderFor }

// Version changes with what Snapshot returns.
func (a *Agent) Version() int { return a.version }

// CountAnswer uses up a turn of the directive.
func (a *Agent) CountAnswer() { a.Direct(a.order, a.orderFor-1) }
