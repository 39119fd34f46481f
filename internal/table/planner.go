package table

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// planner decides the tier and the tools of a turn, and the steps by which its first sound comes in time. It
// bases this on how long recent turns took.
type planner struct {
	governor *cost.Governor
	latency  config.Latency
	host     *mcphost.Host
	session  string
	hurries  bool // the engine can be asked to hurry
}

// prepareTurn decides the tools and the pace of a turn once its tier is chosen. phrases says that its NPC may
// say a stock phrase.
func (p *planner) prepareTurn(tn *turn, phrases bool) {
	tn.addressee.npc = tn.addressee.agent.NPC
	if tn.kind == trialTurn {
		tn.addressee.npc.Voice.ID, tn.addressee.npc.Voice.IDs = tn.voice, nil
	}
	tn.plan.target = time.Duration(p.latency.Targets.Get(tn.plan.choice.Tier))
	tn.plan.pace = cost.Plan{Tier: tn.plan.choice.Tier}
	if tn.isAnswer() {
		tn.plan.pace = p.planTurn(tn, phrases)
		tn.plan.choice.Tier = tn.plan.pace.Tier
	}
	tn.plan.tools = p.toolset(tn)
}

// planTurn plans a turn so that its first sound comes in time.
func (p *planner) planTurn(tn *turn, phrases bool) cost.Plan {
	mode := tn.addressee.npc.CascadeMode()
	in := cost.Input{
		Tier: tn.plan.choice.Tier, Spent: tn.elapsed(), CanLower: tn.plan.choice.Reason != agent.ReasonOverride, // the DM's raise
		HasOpener: phrases && mode == config.CascadeOff && !tn.addressee.mayDecline, HasFallback: p.hurries, HasFiller: phrases, HasCascade: mode == config.CascadeAuto,
	}
	for tier := range in.Target {
		in.Target[tier] = time.Duration(p.latency.Targets.Get(mcp.BudgetTier(tier)))
	}
	for _, step := range p.latency.Policy {
		in.Policy = append(in.Policy, cost.Step(step))
	}
	return p.governor.Plan(in)
}

// toolset returns the tools the NPC may use in this turn. A puppet or a reaction gets none.
func (p *planner) toolset(tn *turn) *mcphost.Toolset {
	o := mcphost.ToolsetOptions{
		Tier: tn.plan.choice.Tier, Ceiling: time.Duration(p.latency.Ceilings.Get(tn.plan.choice.Tier)),
		Caller: mcp.Caller{NPC: tn.addressee.npc.ID, Session: p.session, Blind: tn.addressee.npc.Senses.Blind},
	}
	if tn.isAnswer() {
		o.Allow, o.MayChange = tn.addressee.npc.Tools, tn.addressee.npc.MayChange
	}
	return p.host.Toolset(o)
}

// lowestToolset returns the tools an NPC may use in a turn of the lowest tier.
func (p *planner) lowestToolset(npc config.NPC) *mcphost.Toolset {
	return p.host.Toolset(mcphost.ToolsetOptions{
		Tier: mcp.BudgetFast, Ceiling: time.Duration(p.latency.Ceilings.Get(mcp.BudgetFast)),
		Caller: mcp.Caller{NPC: npc.ID, Session: p.session, Blind: npc.Senses.Blind}, Allow: npc.Tools, MayChange: npc.MayChange,
	})
}

// recordTimes records how long a turn took, as the basis for planning later turns.
func (p *planner) recordTimes(tn *turn, l Ledger) {
	if tn.addressee.agent == nil || !tn.isAnswer() || l.FirstSubstanceMS == 0 {
		return
	}
	s := cost.Sample{Tier: tn.plan.choice.Tier, Tools: l.ToolRounds > 0, Opened: tn.plan.pace.Cascade, FirstSound: mcp.DurationOf(l.FirstSoundMS)}
	s.Durations[cost.Endpoint], s.Durations[cost.Transcript] = tn.words.endpoint, tn.words.final
	s.Durations[cost.Context], s.Durations[cost.Model] = mcp.DurationOf(l.ContextMS), mcp.DurationOf(l.LLMFirstTokenMS)
	s.Durations[cost.Writing], s.Durations[cost.Tool], s.Durations[cost.Voice] = mcp.DurationOf(l.LLMFirstSentenceMS), tn.record.tooling, mcp.DurationOf(l.TTSFirstAudioMS)
	p.governor.Record(s)
}

// Stages says how long the stages of recent turns at one tier took.
type Stages struct {
	Tier string
	// FirstSoundP50 and FirstSoundP95 are the median and the 95th percentile over Turns turns.
	FirstSoundP50, FirstSoundP95 time.Duration
	Turns                        int
	Stages                       []StageTime
}

// StageTime is the time of one stage of a turn, as in the ledger.
type StageTime struct {
	Stage    string
	P50, P95 time.Duration
}

// Stages returns how long the stages of recent turns took, for each tier that had turns.
func (t *Table) Stages(ctx context.Context) (all []Stages, err error) {
	err = t.order(ctx, func() error {
		all = t.planner.stages()
		return nil
	})
	return all, err
}

// stages returns the times of the stages for each tier that had turns.
func (p *planner) stages() (all []Stages) {
	for tier := range mcp.BudgetTier(mcp.TierCount) {
		s := Stages{Tier: tier.String()}
		if s.FirstSoundP50, s.FirstSoundP95, s.Turns = p.governor.FirstSound(tier); s.Turns == 0 {
			continue
		}
		for stage := range cost.Stage(cost.StageCount) {
			if p50, n := p.governor.P50(tier, stage); n > 0 {
				p95, _ := p.governor.P95(tier, stage)
				s.Stages = append(s.Stages, StageTime{stage.String(), p50, p95})
			}
		}
		all = append(all, s)
	}
	return all
}
