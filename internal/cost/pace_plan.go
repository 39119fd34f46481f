package cost

import (
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Step is something that can be done about a turn that would be late.
type Step string

// Steps, by their names in the configuration.
const (
	// LowerTier answers at a lower tier.
	LowerTier Step = "lower_tier"
	// Opener says a stock phrase at once, before the answer.
	Opener Step = "opener"
	// Fallback asks the model that answers fastest lately.
	Fallback Step = "fallback"
	// Filler says a stock phrase if the answer is not there in time.
	Filler Step = "filler"
	// Cascade has a fast model open. It is the NPC's setting rather than the
	// policy's, and is taken before all others.
	Cascade Step = "cascade"
)

// Times of a filler before the target.
const (
	// fillerReserve is the least time a filler gets for its first sound.
	fillerReserve = 100 * time.Millisecond
	// fillerUnknown is its time where nothing is known of the voice.
	fillerUnknown = 150 * time.Millisecond
)

// Input is what a turn is planned from.
type Input struct {
	// Tier was chosen for the turn. If it is not valid, the plan is empty.
	Tier mcp.BudgetTier
	// Spent is the time since the end of the player's speech.
	Spent time.Duration
	// Target is the time to the first sound that each tier promises. A tier
	// whose target is 0 promises nothing, and nothing is done for it.
	Target [mcp.TierCount]time.Duration
	// Policy lists the steps that may be taken, in the order they are tried. A
	// step counts where it stands first; unknown ones are ignored.
	Policy []Step
	// What is there for the steps: CanLower says that the tier may be lowered,
	// HasOpener and HasFiller that the NPC has such a phrase, HasFallback that
	// there is another model.
	CanLower, HasOpener, HasFallback, HasFiller bool
	// HasCascade says that a fast model may open where the turn would be late.
	HasCascade bool
}

// Decision is a step that was taken, and why.
type Decision struct {
	Step Step
	// Reason is a sentence for the dungeon master.
	Reason string
	// Projected is when the first sound was expected without the step, Target
	// when it was wanted; both since the end of the player's speech.
	Projected, Target time.Duration
}

// Plan is how a turn is to be answered.
type Plan struct {
	// Tier is the input's or, with a decision for LowerTier, a lower one.
	Tier mcp.BudgetTier
	// Opener says a stock phrase at once, Fallback asks the fastest model, Cascade
	// has a fast model open.
	Opener, Fallback, Cascade bool
	// FillerAfter is when a filler begins if nothing was heard by then, since the
	// end of the player's speech and not before Input.Spent; 0 means no filler.
	FillerAfter time.Duration
	// Decisions are the steps taken because the turn was expected to be late, in
	// the order they were taken. A filler armed just in case is not among them.
	Decisions []Decision
}

// planning is a plan in the making.
type planning struct {
	*Governor
	in        Input
	plan      Plan
	target    time.Duration
	projected time.Duration
	known     bool // the projection is worth something
}

// Plan decides what to do about the next turn. The policy's steps are taken in
// order while the first sound is expected later than the target of in.Tier;
// that target stays when the tier is lowered. A filler costs nothing unless the
// turn is late, so it is armed in any case, and is all that is done while too
// little is known to expect anything. Of opener and filler a turn has one: the
// first in the policy that applies.
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
			p.askFallback()
		case Filler:
			p.armFiller()
		}
	}
	return p.plan
}

// openWithCascade has a fast model open, which is taken to be in time. One turn in
// ten finds out whether that is still needed.
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

// lowerTier takes the highest lower tier that is expected to be in time, or
// else the one that is fastest, if it is faster.
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
		p.lowered[p.in.Tier] = 0 // it may be faster by now: one turn finds out
		return
	}
	p.addDecision(LowerTier, fmt.Sprintf("; %s is expected to take %s", best, seconds(sound)))
	p.plan.Tier, p.projected = best, sound
}

// addOpener makes the first sound that of a phrase at hand.
func (p *planning) addOpener() {
	if !p.isLate() || !p.in.HasOpener || p.plan.Opener || p.plan.FillerAfter > 0 {
		return
	}
	p.addDecision(Opener, "")
	p.plan.Opener = true
	voice, _ := p.voiceTime()
	p.projected = min(p.projected, p.in.Spent+voice)
}

// askFallback asks for a faster model. How much faster is not known, so the
// projection stays.
func (p *planning) askFallback() {
	if !p.isLate() || !p.in.HasFallback || p.plan.Fallback {
		return
	}
	p.addDecision(Fallback, "")
	p.plan.Fallback = true
}

// armFiller arms a phrase whose first sound comes before the target.
func (p *planning) armFiller() {
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

// voiceTime is how long the first sound of a sentence takes. The tier has little to
// do with it, so the others are asked where this one is not known.
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

// addDecision notes a step that is taken because the turn would be late.
func (p *planning) addDecision(step Step, more string) {
	p.plan.Decisions = append(p.plan.Decisions, Decision{
		Step: step, Reason: p.reason() + more, Projected: p.projected, Target: p.target,
	})
}

// reason says why the turn would be late.
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

// seconds writes a time as people say it.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
