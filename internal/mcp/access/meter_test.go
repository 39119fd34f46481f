package access_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func admit(ctx context.Context, e *access.Engine, t mcp.Target) error {
	return e.Admit(ctx, &mcp.Call{Target: t, Caller: mcp.CallerFrom(ctx), Args: "{}"})
}

func rateLimit(name string, calls int, window time.Duration, tools ...string) config.Rule {
	return config.Rule{Name: name, Kind: config.RuleRateLimit, Tools: tools, Calls: calls, Window: config.Duration(window)}
}

var (
	roll   = target("roll", access.DiceRoll)
	lookup = target("lookup", access.RulesRead)
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{rateLimit("slow", 3, 10*time.Second, "roll")}})
		ann := as(t, "ann", "dm")
		for i := range 3 { // at 0, 2 and 4 s
			if err := admit(ann, e, roll); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
			time.Sleep(2 * time.Second)
		}
		err := admit(ann, e, roll)
		no := refusal(t, err)
		if no.Code != mcp.CodeCapacityExceeded || no.Rule != "slow" || no.RetryAfter != 4*time.Second || !errors.Is(err, mcp.ErrBusy) {
			t.Errorf("refusal = %+v, want capacity_exceeded by slow for 4s", no)
		}
		if err := e.Permits(ann, roll); err != nil {
			t.Errorf("Permits = %v, want nil: a rate limit hides nothing", err)
		}
		for name, ctx := range map[string]context.Context{"another_client": as(t, "bob", "dm"), "npc": asNPC(t, "bart"), "operator": t.Context()} {
			if err := admit(ctx, e, roll); err != nil {
				t.Errorf("%s: %v, want nil", name, err)
			}
		}
		if err := admit(ann, e, lookup); err != nil {
			t.Errorf("another tool: %v, want nil", err)
		}
		time.Sleep(4*time.Second - time.Nanosecond)
		if err := admit(ann, e, roll); err == nil {
			t.Error("admitted a nanosecond too early")
		}
		time.Sleep(time.Nanosecond)
		if err := admit(ann, e, roll); err != nil {
			t.Errorf("after the wait: %v, want nil", err)
		}
		if err := admit(ann, e, roll); err == nil {
			t.Error("refused calls, or expired ones, made room for two")
		}
	})
}

func TestRateLimitOfAnNPC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{rateLimit("slow", 1, time.Second)}})
		if err := admit(asNPC(t, "bart"), e, roll); err != nil {
			t.Fatal(err)
		}
		if no := refusal(t, admit(asNPC(t, "bart"), e, roll)); no.Rule != "slow" {
			t.Errorf("refused by %q, want slow", no.Rule)
		}
		if err := admit(asNPC(t, "mira"), e, roll); err != nil {
			t.Errorf("another NPC: %v, want nil", err)
		}
	})
}

func TestClientBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{})
		ann := as(t, "ann", "dm")
		for i := range 100 {
			if err := admit(ann, e, roll); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		no := refusal(t, admit(ann, e, roll))
		if no.Code != mcp.CodeCapacityExceeded || no.Rule != "" || no.RetryAfter < 100*time.Millisecond || no.RetryAfter > 101*time.Millisecond || no.Hint == "" {
			t.Errorf("refusal = %+v, want capacity_exceeded for 100ms", no)
		}
		if err := admit(as(t, "bob", "dm"), e, roll); err != nil {
			t.Errorf("another client: %v, want nil", err)
		}
		for range 200 {
			if err := admit(asNPC(t, "bart"), e, roll); err != nil {
				t.Fatalf("an NPC: %v, want nil", err)
			}
			if err := admit(t.Context(), e, roll); err != nil {
				t.Fatalf("the operator: %v, want nil", err)
			}
		}
		time.Sleep(no.RetryAfter)
		if err := admit(ann, e, roll); err != nil {
			t.Errorf("after the wait: %v, want nil", err)
		}
	})
}

// TestRefusedCallsCostNothing checks that a call refused by one check is not counted by
// any other.
func TestRefusedCallsCostNothing(t *testing.T) {
	tests := []struct {
		name  string
		limit config.Limits
		rules []config.Rule
		first mcp.Target // admitted once, so that spoil is refused
		spoil mcp.Target
		then  mcp.Target
		after time.Duration
	}{
		{
			name:  "forbidden_costs_no_token",
			limit: config.Limits{Burst: 2, PerSecond: 0.001},
			first: roll, spoil: target("x", "no.such"), then: roll,
		},
		{
			name:  "over_a_limit_costs_no_token",
			limit: config.Limits{Burst: 2, PerSecond: 0.001},
			rules: []config.Rule{rateLimit("slow", 1, time.Hour, "roll")},
			first: roll, spoil: roll, then: lookup,
		},
		{
			name:  "over_a_limit_costs_no_other_limit",
			rules: []config.Rule{rateLimit("wide", 2, time.Hour), rateLimit("narrow", 1, time.Minute)},
			first: roll, spoil: roll, then: roll, after: time.Minute,
		},
		{
			name:  "over_budget_costs_no_limit",
			limit: config.Limits{Burst: 1, PerSecond: 0.01},
			rules: []config.Rule{rateLimit("wide", 2, time.Hour)},
			first: roll, spoil: roll, then: roll, after: 2 * time.Minute,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, access.Options{Limits: tt.limit, Rules: tt.rules})
				ann := as(t, "ann", "dm")
				if err := admit(ann, e, tt.first); err != nil {
					t.Fatalf("first: %v", err)
				}
				for range 20 {
					if err := admit(ann, e, tt.spoil); err == nil {
						t.Fatal("admitted what should be refused")
					}
				}
				time.Sleep(tt.after)
				if err := admit(ann, e, tt.then); err != nil {
					t.Errorf("then: %v, want nil", err)
				}
			})
		})
	}
}

// TestRateLimitIsExact compares with a list of all admitted calls, and checks that a
// retry after RetryAfter succeeds.
func TestRateLimitIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		calls := rapid.IntRange(1, 5).Draw(rt, "calls")
		window := time.Duration(rapid.IntRange(1, 1000).Draw(rt, "window")) * time.Millisecond
		pauses := rapid.SliceOfN(rapid.IntRange(0, int(window)), 1, 60).Draw(rt, "pauses")
		synctest.Test(t, func(t *testing.T) {
			e := engine(t, access.Options{Rules: []config.Rule{rateLimit("slow", calls, window)}})
			bart := asNPC(t, "bart")
			var admitted []time.Time
			for _, p := range pauses {
				time.Sleep(time.Duration(p))
				recent := 0
				for _, a := range admitted {
					if time.Since(a) < window {
						recent++
					}
				}
				err := admit(bart, e, roll)
				if (err == nil) != (recent < calls) {
					rt.Fatalf("after %d calls in the window: %v", recent, err)
				}
				if err != nil {
					time.Sleep(refusal(t, err).RetryAfter)
					if err := admit(bart, e, roll); err != nil {
						rt.Fatalf("after RetryAfter: %v", err)
					}
				}
				admitted = append(admitted, time.Now())
			}
		})
	})
}

// TestBudgetRetryAfter checks that a retry after RetryAfter succeeds at any rate, and
// that the budget is kept.
func TestBudgetRetryAfter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		burst := rapid.IntRange(1, 10).Draw(rt, "burst")
		perSecond := rapid.Float64Range(0.01, 1000).Draw(rt, "per_second")
		n := rapid.IntRange(1, 50).Draw(rt, "refusals")
		synctest.Test(t, func(t *testing.T) {
			e := engine(t, access.Options{Limits: config.Limits{Burst: burst, PerSecond: perSecond}})
			ann, start := as(t, "ann", "dm"), time.Now()
			admitted := 0
			for range n {
				err := admit(ann, e, roll)
				for ; err == nil; err = admit(ann, e, roll) {
					admitted++
				}
				time.Sleep(refusal(t, err).RetryAfter)
				if err := admit(ann, e, roll); err != nil {
					rt.Fatalf("after RetryAfter: %v", err)
				}
				admitted++
			}
			if most := float64(burst) + time.Since(start).Seconds()*perSecond + 1e-3; float64(admitted) > most {
				rt.Errorf("admitted %d calls, want at most %v", admitted, most)
			}
		})
	})
}

func TestRateLimitUnderConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 50
		e := engine(t, access.Options{
			Rules:  []config.Rule{rateLimit("slow", calls, time.Minute)},
			Limits: config.Limits{Burst: 1000},
		})
		var admitted atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				ctx := as(t, "ann", "dm")
				for range 10 {
					if admit(ctx, e, roll) == nil {
						admitted.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if got := admitted.Load(); got != calls {
			t.Errorf("admitted %d calls, want %d", got, calls)
		}
	})
}

func TestExtremeBudgets(t *testing.T) {
	tests := []struct {
		name   string
		limits config.Limits
		// refused tells whether a thousand calls at once exceed the budget.
		refused bool
	}{
		{"hardly_ever", config.Limits{Burst: 1, PerSecond: 1e-300}, true},
		{"without_end", config.Limits{Burst: math.MaxInt, PerSecond: math.MaxFloat64}, false},
		{"one_at_a_time", config.Limits{Burst: 1, PerSecond: math.MaxFloat64}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, access.Options{Limits: tt.limits})
				var err error
				for range 1000 {
					if err = admit(as(t, "ann", "dm"), e, roll); err != nil {
						break
					}
					time.Sleep(time.Nanosecond)
				}
				if (err != nil) != tt.refused {
					t.Fatalf("Admit = %v, want refused: %v", err, tt.refused)
				}
				if err != nil {
					if no := refusal(t, err); no.RetryAfter <= 0 || no.RetryAfter > 25*time.Hour {
						t.Errorf("RetryAfter = %v, want more than nothing and about a day at most", no.RetryAfter)
					}
				}
			})
		})
	}
}
