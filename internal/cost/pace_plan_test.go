package cost_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// targets are those of a usual configuration.
var targets = [mcp.TierCount]time.Duration{1200 * ms, 2200 * ms, 4 * time.Second}

// all is an input in which every step is available.
func all(tier mcp.BudgetTier, spent time.Duration, policy ...cost.Step) cost.Input {
	return cost.Input{
		Tier: tier, Spent: spent, Target: targets, Policy: policy,
		CanLower: true, HasOpener: true, HasFallback: true, HasFiller: true,
	}
}

// knowing returns a governor with five turns of each tier that has a model time.
func knowing(models map[mcp.BudgetTier]time.Duration) *cost.Governor {
	g := cost.NewGovernor()
	for tier, model := range models {
		recordN(g, cost.Enough, turn(tier, model))
	}
	return g
}

func TestPlan(t *testing.T) {
	const fast, standard, deep = mcp.BudgetFast, mcp.BudgetStandard, mcp.BudgetDeep
	slow := map[mcp.BudgetTier]time.Duration{fast: 300 * ms, standard: 2100 * ms, deep: 4 * time.Second}
	reason := "first sound expected after 3.4 s, target 2.2 s (mostly model: 2.1 s)"
	decided := func(s cost.Step, reason string, projected time.Duration) cost.Decision {
		return cost.Decision{Step: s, Reason: reason, Projected: projected, Target: 2200 * ms}
	}
	for _, tt := range []struct {
		name   string
		models map[mcp.BudgetTier]time.Duration
		in     cost.Input
		want   cost.Plan
	}{
		{name: "in_time", models: slow, in: all(fast, 300*ms, cost.LowerTier, cost.Opener, cost.Fallback),
			want: cost.Plan{Tier: fast}},
		{name: "in_time_filler_just_in_case", models: slow, in: all(fast, 300*ms, cost.Steps()...),
			want: cost.Plan{Tier: fast, FillerAfter: 1100 * ms}},
		{name: "nothing_known", in: all(standard, 300*ms, cost.Steps()...),
			want: cost.Plan{Tier: standard, FillerAfter: 2050 * ms}},
		{name: "voice_known_from_another_tier", models: map[mcp.BudgetTier]time.Duration{deep: time.Second}, in: all(standard, 300*ms, cost.Steps()...),
			want: cost.Plan{Tier: standard, FillerAfter: 2100 * ms}},
		{name: "late_without_policy", models: slow, in: all(standard, 1100*ms), want: cost.Plan{Tier: standard}},
		{name: "late_lower_tier", models: slow, in: all(standard, 1100*ms, cost.LowerTier, cost.Opener, cost.Fallback),
			want: cost.Plan{Tier: fast, Decisions: []cost.Decision{
				decided(cost.LowerTier, reason+"; fast is expected to take 1.6 s", 3400*ms)}}},
		{name: "late_opener", models: slow, in: all(standard, 1100*ms, cost.Opener, cost.LowerTier, cost.Fallback, cost.Filler),
			want: cost.Plan{Tier: standard, Opener: true, Decisions: []cost.Decision{decided(cost.Opener, reason, 3400*ms)}}},
		{name: "late_fallback_and_filler", models: slow, in: all(standard, 1100*ms, cost.Fallback, cost.Filler, cost.LowerTier),
			want: cost.Plan{Tier: standard, Fallback: true, FillerAfter: 2100 * ms, Decisions: []cost.Decision{
				decided(cost.Fallback, reason, 3400*ms), decided(cost.Filler, reason, 3400*ms)}}},
		{name: "late_nothing_is_there", models: slow, in: cost.Input{Tier: standard, Spent: 1100 * ms, Target: targets, Policy: cost.Steps()},
			want: cost.Plan{Tier: standard}},
		{name: "no_target", models: slow, in: cost.Input{Tier: standard, Spent: time.Hour, Policy: cost.Steps(), CanLower: true, HasFiller: true},
			want: cost.Plan{Tier: standard}},
		{name: "no_tier", in: cost.Input{Tier: 7, Target: targets, Policy: cost.Steps(), HasFiller: true}, want: cost.Plan{Tier: 7}},
		{name: "lower_tier_is_unknown", models: map[mcp.BudgetTier]time.Duration{standard: 2100 * ms}, in: all(standard, 1100*ms, cost.LowerTier),
			want: cost.Plan{Tier: standard}},
		{name: "lower_tier_is_slower", models: map[mcp.BudgetTier]time.Duration{fast: 3 * time.Second, standard: 2100 * ms}, in: all(standard, 1100*ms, cost.LowerTier),
			want: cost.Plan{Tier: standard}},
		{name: "unknown_and_repeated_steps", models: slow, in: all(standard, 1100*ms, "pray", cost.Fallback, cost.Fallback),
			want: cost.Plan{Tier: standard, Fallback: true, Decisions: []cost.Decision{decided(cost.Fallback, reason, 3400*ms)}}},
		{name: "too_late_for_the_opener", models: slow, in: all(standard, 2500*ms, cost.Opener, cost.Fallback, cost.Filler),
			want: cost.Plan{Tier: standard, Opener: true, Fallback: true, Decisions: []cost.Decision{
				decided(cost.Opener, "first sound expected after 4.8 s, target 2.2 s (2.5 s have passed already)", 4800*ms),
				decided(cost.Fallback, "first sound expected after 2.6 s, target 2.2 s (2.5 s have passed already)", 2600*ms)}}},
		{name: "too_late_for_the_filler", models: slow, in: all(standard, 2500*ms, cost.Filler),
			want: cost.Plan{Tier: standard, FillerAfter: 2500 * ms, Decisions: []cost.Decision{
				decided(cost.Filler, "first sound expected after 4.8 s, target 2.2 s (2.5 s have passed already)", 4800*ms)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := knowing(tt.models).Plan(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLowerTierTakesTheHighestThatFits(t *testing.T) {
	for _, tt := range []struct {
		name           string
		fast, standard time.Duration
		want           mcp.BudgetTier
	}{
		{name: "the_next_fits", fast: 300 * ms, standard: 3 * time.Second, want: mcp.BudgetStandard},
		{name: "only_the_lowest_fits", fast: 300 * ms, standard: 5 * time.Second, want: mcp.BudgetFast},
		{name: "none_fits_the_lowest_is_fastest", fast: 4500 * ms, standard: 5 * time.Second, want: mcp.BudgetFast},
		{name: "none_fits_the_next_is_fastest", fast: 6 * time.Second, standard: 5 * time.Second, want: mcp.BudgetStandard},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := knowing(map[mcp.BudgetTier]time.Duration{
				mcp.BudgetFast: tt.fast, mcp.BudgetStandard: tt.standard, mcp.BudgetDeep: 8 * time.Second})
			got := g.Plan(all(mcp.BudgetDeep, 500*ms, cost.LowerTier))
			if got.Tier != tt.want || len(got.Decisions) != 1 {
				t.Errorf("plan = %+v, want %v with one decision", got, tt.want)
			}
		})
	}
}

// TestPlansKeepTheirPromises checks plans for any history and any policy.
func TestPlansKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := cost.NewGovernor()
		for range rapid.IntRange(0, 30).Draw(t, "turns") {
			g.Record(drawTurn(t, rapid.SampledFrom([]mcp.BudgetTier{0, 1, 2}).Draw(t, "tier")))
		}
		in := cost.Input{
			Tier: rapid.SampledFrom([]mcp.BudgetTier{0, 1, 2}).Draw(t, "chosen"), Spent: max(0, drawTime(t)),
			Policy:   rapid.SliceOf(rapid.SampledFrom(append(cost.Steps(), "other"))).Draw(t, "policy"),
			CanLower: rapid.Bool().Draw(t, "can_lower"), HasOpener: rapid.Bool().Draw(t, "has_opener"),
			HasFallback: rapid.Bool().Draw(t, "has_fallback"), HasFiller: rapid.Bool().Draw(t, "has_filler"),
		}
		for i := range in.Target {
			in.Target[i] = max(0, drawTime(t))
		}
		if err := promises(g, in, g.Plan(in)); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		in.Policy = nil
		if diff := cmp.Diff(cost.Plan{Tier: in.Tier}, g.Plan(in)); diff != "" {
			t.Fatalf("without a policy (-want +got):\n%s", diff)
		}
	})
}

// promises checks the guarantees of every plan.
func promises(g *cost.Governor, in cost.Input, p cost.Plan) error {
	decided := map[cost.Step]bool{}
	before := -1
	for _, d := range p.Decisions {
		at := slices.Index(in.Policy, d.Step)
		if at <= before {
			return fmt.Errorf("%s is out of order", d.Step)
		}
		before, decided[d.Step] = at, true
		if d.Projected <= d.Target || d.Target != in.Target[in.Tier] || d.Reason == "" {
			return fmt.Errorf("decision without cause: %+v", d)
		}
	}
	_, known := g.Project(in.Tier, in.Spent)
	switch {
	case decided[cost.LowerTier] != (p.Tier < in.Tier) || p.Tier > in.Tier || p.Tier < in.Tier && !in.CanLower:
		return fmt.Errorf("tier %v", p.Tier)
	case decided[cost.Opener] != p.Opener || p.Opener && !in.HasOpener:
		return fmt.Errorf("opener %v", p.Opener)
	case decided[cost.Fallback] != p.Fallback || p.Fallback && !in.HasFallback:
		return fmt.Errorf("fallback %v", p.Fallback)
	case p.FillerAfter != 0 && (!in.HasFiller || p.Opener || p.FillerAfter < in.Spent):
		return fmt.Errorf("filler after %v", p.FillerAfter)
	case decided[cost.Filler] && p.FillerAfter == 0:
		return fmt.Errorf("no filler in spite of the decision")
	case !known && len(p.Decisions) > 0:
		return fmt.Errorf("decisions out of the blue: %+v", p.Decisions)
	}
	return nil
}

func TestPlanInTimeAllocatesNothing(t *testing.T) {
	g := knowing(map[mcp.BudgetTier]time.Duration{mcp.BudgetFast: 300 * ms})
	in := all(mcp.BudgetFast, 300*ms, cost.Steps()...)
	if n := testing.AllocsPerRun(100, func() { g.Plan(in) }); n != 0 {
		t.Errorf("Plan allocates %v times", n)
	}
}

func BenchmarkPlanInTime(b *testing.B) {
	g := knowing(map[mcp.BudgetTier]time.Duration{mcp.BudgetFast: 300 * ms})
	in := all(mcp.BudgetFast, 300*ms, cost.Steps()...)
	b.ReportAllocs()
	for b.Loop() {
		g.Plan(in)
	}
}

func BenchmarkPlanLate(b *testing.B) {
	g := knowing(map[mcp.BudgetTier]time.Duration{mcp.BudgetFast: 300 * ms, mcp.BudgetStandard: 2100 * ms})
	in := all(mcp.BudgetStandard, 1100*ms, cost.Steps()...)
	b.ReportAllocs()
	for b.Loop() {
		g.Plan(in)
	}
}
