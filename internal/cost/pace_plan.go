package cost

import (
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Step is a measure for a turn that would be late.
type Step string

// Steps, by their names in the configuration.
const (
	// LowerTier answers at a lower tier.
	LowerTier Step = "lower_tier"
	// Opener plays a stock phrase immediately, before the answer.
	Opener Step = "opener"
	// Fallback asks the model that was fastest recently.
	Fallback Step = "fallback"
	// Filler plays a stock phrase if the answer is not ready in time.
	Filler Step = "filler"
	// Cascade lets a fast model write the opener. It is a setting of the NPC, not of the policy, and comes
	// before all other steps.
	Cascade Step = "cascade"
)

// Time reserved for a filler before the target.
const (
	// fillerReserve is the minimum time for a filler's first sound.
	fillerReserve = 100 * time.Millisecond
	// fillerUnknown is that time if the voice's latency is unknown.
	fillerUnknown = 150 * time.Millisecond
)

// Input is the basis for planning a turn.
type Input struct {
	// Tier was chosen for the turn. If it is invalid, the plan is empty.
	Tier mcp.BudgetTier
	// Spent is the time since the end of the player's speech.
	Spent time.Duration
	// Target is each tier's target for the first sound. A tier with target 0 has none, and no steps are
	// taken.
	Target [mcp.TierCount]time.Duration
	// Policy lists the allowed steps in order. Repeated and unknown steps are ignored.
	Policy []Step
	// CanLower allows lowering the tier. HasOpener and HasFiller report that the NPC has such a phrase, and
	// HasFallback that there is another model.
	CanLower, HasOpener, HasFallback, HasFiller bool
	// HasCascade allows a fast model to write the opener of a late turn.
	HasCascade bool
}

// Decision is a step with its reason.
type Decision struct {
	Step Step
	// Reason is a sentence for the dungeon master.
	Reason string
	// Projected is when the first sound was expected without the step, and Target the tier's target, both
	// since the end of the player's speech.
	Projected, Target time.Duration
}

// Plan is how to answer a turn.
type Plan struct {
	// Tier is the input's or, after a decision for LowerTier, a lower one.
	Tier mcp.BudgetTier
	// Opener plays a stock phrase immediately, Fallback asks the fastest model, and Cascade lets a fast model
	// write the opener.
	Opener, Fallback, Cascade bool
	// FillerAfter is when a filler begins if nothing was heard until then, since the end of the player's
	// speech and not before Input.Spent; 0 means no filler.
	FillerAfter time.Duration
	// Decisions are the steps taken because the turn is expected to be late, in order. A filler that is only
	// a precaution is not among them.
	Decisions []Decision
}

// planning is a plan in progress.
type planning struct {
	*Governor
	in        Input
	plan      Plan
	target    time.Duration
	projected time.Duration
	known     bool // there is a projection
}

// Plan decides what to do about the next turn. It takes the policy's steps in order while the first sound is
// expected after the target of in.Tier; that target stays the same when the tier is lowered. A filler costs
// nothing unless the turn is late, so it is always armed, and is the only step while too few turns are known.
// A turn has either an opener or a filler: the first in the policy that applies.
func (g *Governor) Plan(in Input) Plan {
	p := planning{Governor: g, in: in, plan: Plan{Tier: in.Tier}}
	if !in.Tier.Valid() || in.Target[in.Tier] <= 0 {
		return p.plan
	}
	p.target = in.Target[in.Tier]
	p.projected, p.known = g.Project(in.Tier, in.Spent)
	p.openWithCascade()
	for _, step := range in.Policy {
		switch step {
		case LowerTier:
			p.lowerTier()
		case Opener:
			p.addOpener()
		case Fallback:
			p.selectFallback()
		case Filler:
			p.scheduleFiller()
		}
	}
	return p.plan
}

// openWithCascade lets a fast model write the opener, which is assumed to be in time. One turn in ten checks
// whether that is still necessary.
func (p *planning) openWithCascade() {
	if !p.isLate() || !p.in.HasCascade {
		return
	}
	if p.cascaded[p.in.Tier]++; p.cascaded[p.in.Tier] > Lowered {
		p.cascaded[p.in.Tier] = 0
		return
	}
	p.addDecision(Cascade, "")
	p.plan.Cascade = true
	p.projected = min(p.projected, p.target)
}

// isLate reports whether the first sound is expected after the target.
func (p *planning) isLate() bool { return p.known && p.projected > p.target }

// lowerTier selects the highest lower tier that is expected to be in time, or else the fastest one, if it is
// faster.
func (p *planning) lowerTier() {
	if !p.isLate() || !p.in.CanLower || p.plan.Tier != p.in.Tier {
		return
	}
	best, sound := p.plan.Tier, p.projected
	for tier := p.plan.Tier - 1; tier.Valid(); tier-- {
		d, known := p.Project(tier, p.in.Spent)
		if !known || d >= sound {
			continue
		}
		best, sound = tier, d
		if d <= p.target {
			break
		}
	}
	if best == p.plan.Tier {
		return
	}
	if p.lowered[p.in.Tier]++; p.lowered[p.in.Tier] > Lowered {
		p.lowered[p.in.Tier] = 0 // it may be faster now; one turn checks that
		return
	}
	p.addDecision(LowerTier, fmt.Sprintf("; %s is expected to take %s", best, seconds(sound)))
	p.plan.Tier, p.projected = best, sound
}

// addOpener makes an opener the first sound.
func (p *planning) addOpener() {
	if !p.isLate() || !p.in.HasOpener || p.plan.Opener || p.plan.FillerAfter > 0 {
		return
	}
	p.addDecision(Opener, "")
	p.plan.Opener = true
	voice, _ := p.voiceTime()
	p.projected = min(p.projected, p.in.Spent+voice)
}

// selectFallback selects a faster model. It keeps the projection, because it is not known how much faster that
// model is.
func (p *planning) selectFallback() {
	if !p.isLate() || !p.in.HasFallback || p.plan.Fallback {
		return
	}
	p.addDecision(Fallback, "")
	p.plan.Fallback = true
}

// scheduleFiller arms a filler whose first sound comes before the target.
func (p *planning) scheduleFiller() {
	if !p.in.HasFiller || p.plan.Opener || p.plan.FillerAfter > 0 {
		return
	}
	reserve := fillerUnknown
	if voice, known := p.voiceTime(); known {
		reserve = max(voice, fillerReserve)
	}
	if p.isLate() {
		p.addDecision(Filler, "")
	}
	p.plan.FillerAfter = max(p.target-reserve, p.in.Spent, time.Millisecond)
	p.projected = min(p.projected, p.plan.FillerAfter+reserve)
}

// voiceTime returns the time to the first sound of a sentence. It hardly depends on the tier, so other tiers
// are used if this one is unknown.
func (p *planning) voiceTime() (time.Duration, bool) {
	if d, n := p.P50(p.plan.Tier, Voice); n >= Enough {
		return d, true
	}
	longest, any := time.Duration(0), false
	for _, tier := range mcp.Tiers() {
		if d, n := p.P50(tier, Voice); n >= Enough {
			longest, any = max(longest, d), true
		}
	}
	return longest, any
}

// addDecision records a step taken because the turn would be late.
func (p *planning) addDecision(step Step, more string) {
	p.plan.Decisions = append(p.plan.Decisions, Decision{
		Step: step, Reason: p.reason() + more, Projected: p.projected, Target: p.target,
	})
}

// reason describes why the turn would be late.
func (p *planning) reason() string {
	why := seconds(p.in.Spent) + " have passed already"
	stage, took, known := p.Slowest(p.plan.Tier)
	if p.plan.Opener || p.plan.FillerAfter > 0 { // the first sound is the phrase's
		stage = Voice
		took, known = p.voiceTime()
	}
	if known && took >= p.in.Spent {
		why = fmt.Sprintf("mostly %s: %s", stage, seconds(took))
	}
	return fmt.Sprintf("first sound expected after %s, target %s (%s)", seconds(p.projected), seconds(p.target), why)
}

// seconds formats a duration.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
