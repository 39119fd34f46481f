package cost

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Window is the number of turns remembered per tier.
const Window = 100

// Lowered is the number of consecutive turns of a tier that are lowered before one is tried at its own tier
// again, because the cause of the delay may be gone.
const Lowered = 9

// Enough is the number of turns of a tier that must be known for a projection.
const Enough = 5

// Stage is a stage between the end of a player's speech and the first sound of the answer.
type Stage int

// Stages in the order of a turn.
const (
	Endpoint   Stage = iota // end of the speech until it is detected
	Transcript              // from there until the final transcript
	Context                 // assembling the NPC's context
	Model                   // request until the first token
	Writing                 // first token until the first complete sentence
	Tool                    // all tool rounds before the first sentence
	Voice                   // sentence until its first sound

	// StageCount is the number of stages.
	StageCount = int(Voice) + 1
)

// String returns the stage's name in metrics and reasons.
func (s Stage) String() string {
	switch s {
	case Endpoint:
		return "endpoint"
	case Transcript:
		return "transcript"
	case Context:
		return "context"
	case Model:
		return "model"
	case Writing:
		return "writing"
	case Tool:
		return "tool"
	case Voice:
		return "voice"
	}
	return "unknown"
}

// Sample has the measurements of a turn that reached its first sound. Negative times count as 0.
type Sample struct {
	// Tier is the tier at which the turn ran.
	Tier mcp.BudgetTier
	// Durations has the time of each stage. Endpoint and Transcript are 0 for a typed line, which is then no
	// sample of these stages. Tool only counts if Tools is set. For other stages, 0 counts as 0.
	Durations [StageCount]time.Duration
	// Tools reports that the turn called tools before its first sound.
	Tools bool
	// Opened reports that a fast model wrote the opener because the turn would have been late. The turn is
	// then no sample of the stages Model and Writing.
	Opened bool
	// FirstSound is the time from the end of the player's speech to the first sound.
	FirstSound time.Duration
}

// has reports whether the turn is a sample of a stage.
func (s *Sample) has(stage Stage) bool {
	switch stage {
	case Endpoint, Transcript:
		return s.Durations[stage] > 0
	case Model, Writing:
		return !s.Opened
	case Tool:
		return s.Tools
	}
	return true
}

// Governor records turns and plans the next one. It is not safe for concurrent use.
type Governor struct {
	tiers   [mcp.TierCount]turns
	lowered [mcp.TierCount]int // consecutive lowered turns
	// cascaded counts the consecutive turns that a fast model opened.
	cascaded [mcp.TierCount]int
}

// NewGovernor returns a governor without recorded turns.
func NewGovernor() *Governor { return &Governor{} }

// Record adds a turn. If the tier has [Window] turns, the oldest is dropped. A sample without a valid tier is
// ignored.
func (g *Governor) Record(s Sample) {
	if !s.Tier.Valid() {
		return
	}
	for i := range s.Durations {
		s.Durations[i] = max(s.Durations[i], 0)
	}
	s.FirstSound = max(s.FirstSound, 0)
	g.tiers[s.Tier].addSample(s)
}

// P50 returns a stage's median and its number of samples; 0 and 0 without samples.
func (g *Governor) P50(tier mcp.BudgetTier, stage Stage) (time.Duration, int) {
	return g.quantile(tier, stage, 50)
}

// P95 is like P50 for the 95th percentile.
func (g *Governor) P95(tier mcp.BudgetTier, stage Stage) (time.Duration, int) {
	return g.quantile(tier, stage, 95)
}

func (g *Governor) quantile(tier mcp.BudgetTier, stage Stage, percent int) (time.Duration, int) {
	if !tier.Valid() || stage < 0 || int(stage) >= StageCount {
		return 0, 0
	}
	o := &g.tiers[tier].stages[stage]
	return o.percentile(percent), o.n
}

// FirstSound returns the median and the 95th percentile of the time to the first sound, and the number of
// samples.
func (g *Governor) FirstSound(tier mcp.BudgetTier) (p50, p95 time.Duration, samples int) {
	if !tier.Valid() {
		return 0, 0, 0
	}
	o := &g.tiers[tier].first
	return o.percentile(50), o.percentile(95), o.n
}

// ahead are the stages still ahead when a turn is planned.
var ahead = [...]Stage{Context, Model, Writing, Tool, Voice}

// Project returns when the first sound of a turn is expected, since the end of the player's speech. spent is
// the time since then, and the context has not been assembled yet. It returns false with fewer than [Enough]
// turns of the tier.
func (g *Governor) Project(tier mcp.BudgetTier, spent time.Duration) (time.Duration, bool) {
	if !g.known(tier) {
		return 0, false
	}
	for _, s := range ahead {
		spent += g.expected(tier, s)
	}
	return spent, true
}

// Slowest returns the stage that adds most to a tier's projection, and its time. It returns false if Project
// does.
func (g *Governor) Slowest(tier mcp.BudgetTier) (Stage, time.Duration, bool) {
	if !g.known(tier) {
		return 0, 0, false
	}
	slowest, most := Model, time.Duration(-1)
	for _, s := range ahead {
		if d := g.expected(tier, s); d > most {
			slowest, most = s, d
		}
	}
	return slowest, most, true
}

func (g *Governor) known(tier mcp.BudgetTier) bool {
	return tier.Valid() && g.tiers[tier].n >= Enough
}

// expected returns the time that a stage adds to a turn of a valid tier: its median, for tools multiplied by
// the share of turns that call any.
func (g *Governor) expected(tier mcp.BudgetTier, stage Stage) time.Duration {
	t := &g.tiers[tier]
	d := t.stages[stage].percentile(50)
	if stage == Tool && t.n > 0 {
		d = d * time.Duration(t.stages[Tool].n) / time.Duration(t.n)
	}
	return d
}
