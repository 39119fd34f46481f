package table

import (
	"context"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/pace"
)

// planned decides what is done so that the first sound comes in time.
func (t *Table) planned(tn *turn) pace.Plan {
	phrases := t.o.Voices != nil && len(tn.as.Lines["filler"]) > 0 && !t.filled[tn.agent]
	in := pace.Input{
		Tier: tn.choice.Tier, Spent: t.spent(tn), CanLower: tn.choice.Reason != reasonOverride,
		HasOpener: phrases, HasFallback: t.o.Hurries, HasFiller: phrases,
	}
	for tier := range in.Target {
		in.Target[tier] = time.Duration(t.o.Latency.Targets.Get(mcp.BudgetTier(tier)))
	}
	for _, step := range t.o.Latency.Policy {
		in.Policy = append(in.Policy, pace.Step(step))
	}
	return t.pace.Plan(in)
}

// spent is the time since the end of the player's speech, without that for which
// the NPC was busy: nothing can be done about that any more.
func (t *Table) spent(tn *turn) time.Duration {
	queued := time.Duration(0)
	if !tn.began.IsZero() {
		queued = max(tn.started.Sub(tn.began), 0)
	}
	return time.Since(tn.since) - queued
}

// policy tells of a step that was taken.
func (t *Table) policy(tn *turn, d pace.Decision) {
	t.emit(tn.number, KindPolicy, &Policy{
		NPC: tn.as.Name, Step: string(d.Step), Reason: d.Reason, ProjectedMS: elapsed.Rounded(d.Projected), TargetMS: elapsed.Rounded(d.Target),
	})
}

// armFiller has a stock phrase said at once if the plan says so, or once the
// answer is late.
func (t *Table) armFiller(tn *turn) {
	a := tn.attempt
	switch {
	case tn.puppet || tn.leader != nil || t.o.Voices == nil:
	case tn.plan.Opener:
		t.pass(tn)
	case tn.plan.FillerAfter > 0:
		t.agenda.set(a, tn.plan.FillerAfter-t.spent(tn), func() { t.late(tn) })
	}
}

// late says a stock phrase, unless the answer has begun, somebody speaks, or
// the player may have more to say.
func (t *Table) late(tn *turn) {
	line, _ := t.floor.Speaking()
	if tn.phase != thinking || tn.held || line != 0 || len(t.voicing()) > 0 || t.filled[tn.agent] {
		return
	}
	t.pass(tn)
}

// pass has the NPC pass the time with a stock phrase.
func (t *Table) pass(tn *turn) {
	lines := tn.as.Lines["filler"]
	if len(lines) == 0 {
		return
	}
	select {
	case tn.attempt.phrase <- lines[int(tn.number)%len(lines)]:
	default: // one is under way
	}
}

// filling tells of a stock phrase that begins, unless the plan has told of it.
func (t *Table) filling(tn *turn) {
	if tn.plan.Opener || slices.ContainsFunc(tn.plan.Decisions, func(d pace.Decision) bool { return d.Step == pace.Filler }) {
		return
	}
	after := time.Since(tn.since)
	t.policy(tn, pace.Decision{Step: pace.Filler, Reason: "no sound after " + after.Round(time.Millisecond).String(), Projected: after, Target: tn.target})
}

// react has the second NPC of a group answer too, once the first has found its
// words.
func (t *Table) react(ctx context.Context, a *attempt) {
	tn := a.turn
	if !tn.phase.answering() || a.result == nil || a.result.err != nil || tn.also < 0 || tn.leader != nil || tn.held || tn.takenBack {
		return
	}
	who := tn.also
	tn.also = -1
	npc := t.agents[who]
	if npc.Muted || npc.Left || t.busy[who] != nil || who == tn.agent || a.text() == "" {
		return
	}
	t.turns++
	second := &turn{
		Utterance: tn.Utterance, number: t.turns, since: time.Now(), began: time.Now(), leader: tn,
		agent: who, npc: npc, route: RouteReaction, also: -1,
	}
	t.begin(ctx, second)
}

// text is everything the attempt has to say as an answer.
func (a *attempt) text() string {
	var all []byte
	for _, s := range a.said {
		if s.kind == answer {
			if len(all) > 0 {
				all = append(all, ' ')
			}
			all = append(all, s.text...)
		}
	}
	return string(all)
}

// Stages is what the stages of turns at one tier take lately.
type Stages struct {
	Tier string
	// FirstSound are the median and the 95th percentile over Turns turns.
	FirstSoundP50, FirstSoundP95 time.Duration
	Turns                        int
	Stages                       []StageTime
}

// StageTime is the time of one stage of a turn, as in the ledger.
type StageTime struct {
	Stage    string
	P50, P95 time.Duration
}

// Stages tells what the stages of turns take lately, for each tier that had
// turns.
func (t *Table) Stages(ctx context.Context) ([]Stages, error) {
	var out []Stages
	err := t.order(ctx, func(context.Context) error {
		for tier := range mcp.BudgetTier(mcp.TierCount) {
			s := Stages{Tier: tier.String()}
			if s.FirstSoundP50, s.FirstSoundP95, s.Turns = t.pace.FirstSound(tier); s.Turns == 0 {
				continue
			}
			for stage := range pace.Stage(pace.StageCount) {
				if p50, n := t.pace.P50(tier, stage); n > 0 {
					p95, _ := t.pace.P95(tier, stage)
					s.Stages = append(s.Stages, StageTime{stage.String(), p50, p95})
				}
			}
			out = append(out, s)
		}
		return nil
	})
	return out, err
}

// reasonOverride is the selector's reason for a tier the DM raised, which no
// policy lowers.
const reasonOverride = agent.ReasonOverride
