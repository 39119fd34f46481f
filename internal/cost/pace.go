package cost

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Window is how many turns of a tier are remembered.
const Window = 100

// Lowered is how many turns of a tier are lowered in a row before one is tried
// at its own tier: what made it slow may have passed.
const Lowered = 9

// Enough is how many turns of a tier must be known before something is expected
// of the next.
const Enough = 5

// Stage is a part of the way from the end of a player's speech to the first
// sound of the answer.
type Stage int

// Stages in the order of a turn.
const (
	Endpoint   Stage = iota // end of the speech until it counts as ended
	Transcript              // from there to the final transcript
	Context                 // assembling what the NPC knows
	Model                   // request to the first token
	Writing                 // first token to the first complete sentence
	Tool                    // all rounds of tools before the first sentence
	Voice                   // sentence to its first sound

	// StageCount is the number of stages.
	StageCount = int(Voice) + 1
)

// String returns the stage's name, as metrics and reasons have it.
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

// Sample is what was measured of one turn that reached its first sound.
// Negative times count as 0.
type Sample struct {
	// Tier is the one the turn ran at.
	Tier mcp.BudgetTier
	// Took has the time of each stage. 0 of Endpoint and Transcript means that
	// the line was typed; such a turn is no sample of these stages. Tool counts
	// only with Tools; 0 of any other stage counts as 0.
	Took [StageCount]time.Duration
	// Tools says that the turn called tools before its first sound.
	Tools bool
	// Opened says that a fast model opened since the turn would have been late. It
	// is no sample of the stages Model and Writing.
	Opened bool
	// FirstSound is from the end of the player's speech to the first sound.
	FirstSound time.Duration
}

// has reports whether the turn is a sample of a stage.
func (s *Sample) has(stage Stage) bool {
	switch stage {
	case Endpoint, Transcript:
		return s.Took[stage] > 0
	case Model, Writing:
		return !s.Opened
	case Tool:
		return s.Tools
	}
	return true
}

// Governor remembers turns and plans the next. It belongs to one goroutine.
type Governor struct {
	tiers   [mcp.TierCount]turns
	lowered [mcp.TierCount]int // turns lowered in a row
	// cascaded are the turns in a row that a fast model opened.
	cascaded [mcp.TierCount]int
}

// NewGovernor returns a governor that knows no turn.
func NewGovernor() *Governor { return &Governor{} }

// Record adds a turn, in place of the oldest of its tier if there are [Window]
// of them. A sample without a valid tier is ignored.
func (g *Governor) Record(s Sample) {
	if !s.Tier.Valid() {
		return
	}
	for i := range s.Took {
		s.Took[i] = max(s.Took[i], 0)
	}
	s.FirstSound = max(s.FirstSound, 0)
	g.tiers[s.Tier].addSample(s)
}

// P50 returns the median of a stage and of how many turns it is; 0 and 0 if
// there are none.
func (g *Governor) P50(tier mcp.BudgetTier, stage Stage) (time.Duration, int) {
	return g.quantile(tier, stage, 50)
}

// P95 is P50 for the 95th percentile.
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

// FirstSound returns the median and the 95th percentile of the time to the
// first sound, and of how many turns they are.
func (g *Governor) FirstSound(tier mcp.BudgetTier) (p50, p95 time.Duration, samples int) {
	if !tier.Valid() {
		return 0, 0, 0
	}
	o := &g.tiers[tier].first
	return o.percentile(50), o.percentile(95), o.n
}

// ahead are the stages that lie before a turn when it is planned.
var ahead = [...]Stage{Context, Model, Writing, Tool, Voice}

// Project returns when the first sound of a turn is expected, since the end of
// the player's speech, if spent of it has passed and the context is yet to be
// assembled. It is false if fewer than [Enough] turns of the tier are known.
func (g *Governor) Project(tier mcp.BudgetTier, spent time.Duration) (time.Duration, bool) {
	if !g.known(tier) {
		return 0, false
	}
	for _, s := range ahead {
		spent += g.expected(tier, s)
	}
	return spent, true
}

// Slowest returns the stage that adds most to the projection of a tier, and how
// much. It is false where Project is.
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

// expected is what a stage adds to a turn of a valid tier: its median, for
// tools by the share of turns that call any.
func (g *Governor) expected(tier mcp.BudgetTier, stage Stage) time.Duration {
	t := &g.tiers[tier]
	d := t.stages[stage].percentile(50)
	if stage == Tool && t.n > 0 {
		d = d * time.Duration(t.stages[Tool].n) / time.Duration(t.n)
	}
	return d
}
