// Package agent models one NPC at a table: who it is, what it remembers of its conversation, its tier
// ceiling, and the prompt that makes a model speak as it.
//
//	a := agent.New(npc, agent.Options{History: 20})
//	choice := a.Choose(text, waiting)
//	messages := a.Snapshot().Prompt(agent.Line{Speaker: "Alice", Text: text, Tier: choice.Tier}, now)
//
// It does no I/O. An Agent is not safe for concurrent use.
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
	// Left says that the NPC is no longer at the table. It may come back.
	Left bool

	system          string
	selector        *tier.Selector
	history         []Exchange
	dropped         bool     // some exchanges were dropped from the history
	folded          []folded // what remains of those
	edits           int      // edits of lines that are in the history, or may have been
	maxHistory      int      // greatest number of exchanges in the history
	lease           *Lease
	cap             mcp.BudgetTier // BudgetDeep means none
	directive       string         // the DM's directive
	directiveTurns  int            // turns left of it
	findings        []string       // tool results of a turn that was cut
	recentSentences []string       // the last sentences
	revealed        []string       // secrets that it may tell
	withheld        int            // times that part of an answer was withheld
	version         int            // of the result of Snapshot
}

// Options configures an Agent.
type Options struct {
	// Selector picks the tier of each utterance. If nil, one with the default settings is used.
	Selector *tier.Selector
	// History is how many of its own exchanges the NPC remembers word by word at most.
	History int
	// Language is the language that the NPC speaks unless it is addressed in another one, as
	// a BCP 47 tag.
	Language string
}

// New returns an NPC at the start of a conversation.
func New(npc config.NPC, o Options) *Agent {
	if o.Selector == nil {
		o.Selector = tier.NewSelector()
	}
	return &Agent{NPC: npc, system: systemPrompt(npc, o.Language), selector: o.Selector, maxHistory: o.History, cap: mcp.BudgetDeep}
}

// Reconfigure gives the NPC the configuration of b, and reports whether that changes anything. It keeps its
// history, lease, cap and directive, its muted state, and the state of its selector. b must not be used
// afterwards.
func (a *Agent) Reconfigure(b *Agent) bool {
	if a.system == b.system && a.maxHistory == b.maxHistory && reflect.DeepEqual(a.NPC, b.NPC) {
		return false
	}
	a.NPC, a.system, a.maxHistory = b.NPC, b.system, b.maxHistory
	a.version++
	return true
}

// Names returns the NPC's name and aliases.
func (a *Agent) Names() []string { return append([]string{a.NPC.Name}, a.NPC.Aliases...) }

// Persona describes the NPC to a model provider.
func (a *Agent) Persona() llm.Persona {
	language, _, _ := strings.Cut(a.NPC.Voice.Language, "-")
	return llm.Persona{Name: a.NPC.Name, Language: language, Lines: a.NPC.Lines, Topics: a.NPC.Topics, Mind: a.Revealed()}
}

// Lease is a DM's raise of an NPC's tier. It takes precedence over the selector and raises the ceiling until
// a time or for a number of turns, whichever ends first (docs/adr/0008).
type Lease struct {
	Tier  mcp.BudgetTier
	Until time.Time
	Turns int // left
}

// Raise gives the NPC a lease. While it runs, a cap does not apply.
func (a *Agent) Raise(l Lease) { a.lease = &l }

// Lower ends a lease and caps the NPC at t, which the selector cannot exceed. A cap at DEEP means no cap.
func (a *Agent) Lower(t mcp.BudgetTier) { a.lease, a.cap = nil, t }

// EndLease ends a lease before its time, so that a cap applies again.
func (a *Agent) EndLease() { a.lease = nil }

// Cap returns the tier at which the NPC is capped, or DEEP if it is not.
func (a *Agent) Cap() mcp.BudgetTier { return a.cap }

// Lease returns the running lease, nil if there is none.
func (a *Agent) Lease() *Lease {
	if a.lease != nil && (a.lease.Turns <= 0 || !time.Now().Before(a.lease.Until)) {
		a.lease = nil
	}
	return a.lease
}

// Ceiling returns the highest tier the NPC may reach now.
func (a *Agent) Ceiling() mcp.BudgetTier {
	if l := a.Lease(); l != nil {
		return max(a.NPC.BudgetTier, l.Tier)
	}
	return min(a.NPC.BudgetTier, a.cap)
}

// ReasonOverride is the [Choice.Reason] of a tier that a lease requires.
const ReasonOverride = tier.ReasonOverride

// Choice is the tier of a turn.
type Choice struct {
	// Tier is the selector's choice, but at most Ceiling.
	Tier, Ceiling mcp.BudgetTier
	Reason        string
}

// Plain reports whether nothing in the utterance asked for a tier: neither a keyword nor the DM decided it.
func (c Choice) Plain() bool {
	return c.Reason == tier.ReasonFirst || c.Reason == tier.ReasonDefault || c.Reason == tier.ReasonQueue
}

// Raised returns the choice after a search has found something that tools should be asked about. Like a
// keyword of STANDARD, that raises the default tier, within the ceiling. It changes nothing while players
// wait, or if the DM or a keyword decided the tier.
func (c Choice) Raised(reason string) Choice {
	if reason != "" && c.Reason == tier.ReasonDefault {
		c.Tier, c.Reason = min(c.Ceiling, mcp.BudgetStandard), reason
	}
	return c
}

// Choose selects the tier for an utterance and uses up a turn of the lease. waiting is the number of players
// who wait for an answer.
func (a *Agent) Choose(utterance string, waiting int) Choice {
	c := a.chooseWith(utterance, waiting, a.selector.Decide)
	if l := a.Lease(); l != nil {
		l.Turns--
	}
	return c
}

// PeekChoice returns what Choose would return now, and changes nothing.
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

// Direct instructs the NPC how to play its next turns, for example "lie about the key". An empty text or no
// turns remove the directive.
func (a *Agent) Direct(text string, turns int) {
	a.version++
	a.directive, a.directiveTurns = text, turns
	if text == "" || turns <= 0 {
		a.directive, a.directiveTurns = "", 0
	}
}

// Directive returns the NPC's directive and the number of turns for which it still holds.
func (a *Agent) Directive() (text string, turns int) { return a.directive, a.directiveTurns }

// Version changes whenever the result of Snapshot changes.
func (a *Agent) Version() int { return a.version }

// CountAnswer uses up a turn of the directive.
func (a *Agent) CountAnswer() { a.Direct(a.directive, a.directiveTurns-1) }
