package cost_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const ms = time.Millisecond

// turn is a sample with the given model time.
func turn(tier mcp.BudgetTier, model time.Duration) cost.Sample {
	s := cost.Sample{Tier: tier, FirstSound: model + 200*ms}
	s.Durations[cost.Context], s.Durations[cost.Model] = 10*ms, model
	s.Durations[cost.Writing], s.Durations[cost.Voice] = 90*ms, 100*ms
	return s
}

func recordN(g *cost.Governor, n int, s cost.Sample) {
	for range n {
		g.Record(s)
	}
}

func TestPercentiles(t *testing.T) {
	g := cost.NewGovernor()
	for i := range 20 {
		g.Record(turn(mcp.BudgetFast, time.Duration(i+1)*100*ms))
	}
	if d, n := g.P50(mcp.BudgetFast, cost.Model); d != time.Second || n != 20 {
		t.Errorf("P50 = %v of %d, want 1 s of 20", d, n)
	}
	if d, n := g.P95(mcp.BudgetFast, cost.Model); d != 1900*ms || n != 20 {
		t.Errorf("P95 = %v of %d, want 1.9 s of 20", d, n)
	}
	if p50, p95, n := g.FirstSound(mcp.BudgetFast); p50 != 1200*ms || p95 != 2100*ms || n != 20 {
		t.Errorf("FirstSound = %v, %v of %d, want 1.2 s, 2.1 s of 20", p50, p95, n)
	}
	if d, n := g.P50(mcp.BudgetDeep, cost.Model); d != 0 || n != 0 {
		t.Errorf("P50 of another tier = %v of %d, want nothing", d, n)
	}
}

func TestStagesATurnDidNotHave(t *testing.T) {
	g := cost.NewGovernor()
	recordN(g, 3, turn(mcp.BudgetFast, time.Second))
	spoken := turn(mcp.BudgetFast, time.Second)
	spoken.Durations[cost.Endpoint], spoken.Durations[cost.Transcript] = 500*ms, 300*ms
	spoken.Tools, spoken.Durations[cost.Tool] = true, 400*ms
	g.Record(spoken)
	for _, tt := range []struct {
		stage cost.Stage
		want  time.Duration
		n     int
	}{
		{cost.Endpoint, 500 * ms, 1},
		{cost.Transcript, 300 * ms, 1},
		{cost.Tool, 400 * ms, 1},
		{cost.Context, 10 * ms, 4},
	} {
		t.Run(tt.stage.String(), func(t *testing.T) {
			if d, n := g.P50(mcp.BudgetFast, tt.stage); d != tt.want || n != tt.n {
				t.Errorf("P50 = %v of %d, want %v of %d", d, n, tt.want, tt.n)
			}
		})
	}
}

func TestWhatIsNoTurnOrStage(t *testing.T) {
	g := cost.NewGovernor()
	recordN(g, 9, cost.Sample{Tier: mcp.BudgetDeep + 1})
	recordN(g, 9, cost.Sample{Tier: -1})
	for _, tier := range []mcp.BudgetTier{-1, mcp.BudgetFast, mcp.BudgetDeep, mcp.BudgetDeep + 1} {
		if _, known := g.Project(tier, 0); known {
			t.Errorf("tier %d is known", tier)
		}
		if _, _, known := g.Slowest(tier); known {
			t.Errorf("the slowest stage of tier %d is known", tier)
		}
		if _, _, n := g.FirstSound(tier); n != 0 {
			t.Errorf("tier %d has %d first sounds", tier, n)
		}
	}
	for _, stage := range []cost.Stage{-1, cost.Stage(cost.StageCount)} {
		if d, n := g.P95(mcp.BudgetFast, stage); d != 0 || n != 0 {
			t.Errorf("stage %d has %v of %d", stage, d, n)
		}
		if got := stage.String(); got != "unknown" {
			t.Errorf("stage %d is called %q", stage, got)
		}
	}
}

func TestProject(t *testing.T) {
	g := cost.NewGovernor()
	recordN(g, cost.Enough-1, turn(mcp.BudgetDeep, time.Second))
	if _, known := g.Project(mcp.BudgetDeep, 0); known {
		t.Error("4 turns are enough, want 5")
	}
	tools := turn(mcp.BudgetDeep, time.Second)
	tools.Tools, tools.Durations[cost.Tool] = true, 500*ms
	g.Record(tools)
	// One turn in five calls tools, which take 500 ms.
	if d, known := g.Project(mcp.BudgetDeep, 300*ms); d != 1600*ms || !known {
		t.Errorf("Project = %v, %v, want 1.6 s", d, known)
	}
	if stage, d, known := g.Slowest(mcp.BudgetDeep); stage != cost.Model || d != time.Second || !known {
		t.Errorf("Slowest = %v, %v, %v, want the model with 1 s", stage, d, known)
	}
}

func TestOldTurnsAreForgotten(t *testing.T) {
	g := cost.NewGovernor()
	slow := turn(mcp.BudgetFast, time.Minute)
	slow.Tools, slow.Durations[cost.Tool], slow.Durations[cost.Endpoint] = true, time.Minute, time.Minute
	recordN(g, cost.Window, slow)
	recordN(g, cost.Window, turn(mcp.BudgetFast, time.Second))
	if d, known := g.Project(mcp.BudgetFast, 0); d != 1200*ms || !known {
		t.Errorf("Project = %v, %v, want 1.2 s", d, known)
	}
	if d, n := g.P50(mcp.BudgetFast, cost.Endpoint); n != 0 {
		t.Errorf("endpoint = %v of %d, want none", d, n)
	}
}

// drawTurn draws a sample of a tier.
func drawTurn(t *rapid.T, tier mcp.BudgetTier) cost.Sample {
	s := cost.Sample{Tier: tier, Tools: rapid.Bool().Draw(t, "tools"), FirstSound: drawTime(t)}
	for i := range s.Durations {
		s.Durations[i] = drawTime(t)
	}
	return s
}

func drawTime(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(-1, 50).Draw(t, "time")) * 100 * ms
}

// TestPercentilesAreThoseOfTheLastTurns compares with sorted samples.
func TestPercentilesAreThoseOfTheLastTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := cost.NewGovernor()
		var model []time.Duration
		for range rapid.IntRange(0, 3*cost.Window).Draw(t, "turns") {
			s := drawTurn(t, mcp.BudgetStandard)
			g.Record(s)
			model = append(model, max(0, s.Durations[cost.Model]))
		}
		model = slices.Sorted(slices.Values(model[max(0, len(model)-cost.Window):]))
		var want50, want95 time.Duration
		if n := len(model); n > 0 {
			want50, want95 = model[(n+1)/2-1], model[(n*95+99)/100-1]
		}
		got50, n := g.P50(mcp.BudgetStandard, cost.Model)
		got95, _ := g.P95(mcp.BudgetStandard, cost.Model)
		if n != len(model) || got50 != want50 || got95 != want95 {
			t.Fatalf("%v, %v of %d, want %v, %v of %d", got50, got95, n, want50, want95, len(model))
		}
	})
}

// TestSlowerTurnsAreNotExpectedToBeFaster makes each turn slower: the expectation must
// not drop.
func TestSlowerTurnsAreNotExpectedToBeFaster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fast, slow := cost.NewGovernor(), cost.NewGovernor()
		for range rapid.IntRange(cost.Enough, 150).Draw(t, "turns") {
			s := drawTurn(t, mcp.BudgetFast)
			fast.Record(s)
			for i := range s.Durations {
				s.Durations[i] += max(0, drawTime(t))
			}
			slow.Record(s)
		}
		a, _ := fast.Project(mcp.BudgetFast, 0)
		b, _ := slow.Project(mcp.BudgetFast, 0)
		if b < a {
			t.Fatalf("slower turns are expected after %v, faster ones after %v", b, a)
		}
	})
}

// TestASlowTurnDoesNotMakeTheNextFaster adds a turn at least as slow as expected in each
// stage: the expectation must not drop.
func TestASlowTurnDoesNotMakeTheNextFaster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := cost.NewGovernor()
		for range rapid.IntRange(cost.Enough, 150).Draw(t, "turns") {
			g.Record(drawTurn(t, mcp.BudgetFast))
		}
		before, _ := g.Project(mcp.BudgetFast, 0)
		s := cost.Sample{Tier: mcp.BudgetFast, Tools: true}
		for i := range s.Durations {
			d, _ := g.P50(mcp.BudgetFast, cost.Stage(i))
			s.Durations[i] = d + max(0, drawTime(t))
		}
		g.Record(s)
		if after, _ := g.Project(mcp.BudgetFast, 0); after < before {
			t.Fatalf("expected after %v, before the slow turn after %v", after, before)
		}
	})
}

func TestProjectAllocatesNothing(t *testing.T) {
	g := cost.NewGovernor()
	recordN(g, cost.Window, turn(mcp.BudgetDeep, time.Second))
	if n := testing.AllocsPerRun(100, func() { g.Project(mcp.BudgetDeep, 0) }); n != 0 {
		t.Errorf("Project allocates %v times", n)
	}
	s := turn(mcp.BudgetDeep, time.Second)
	if n := testing.AllocsPerRun(100, func() { g.Record(s) }); n != 0 {
		t.Errorf("Record allocates %v times", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	g := cost.NewGovernor()
	s := turn(mcp.BudgetDeep, time.Second)
	for i := 0; b.Loop(); i++ {
		s.Durations[cost.Model] = time.Duration(i*7919%1000) * ms
		g.Record(s)
	}
}
