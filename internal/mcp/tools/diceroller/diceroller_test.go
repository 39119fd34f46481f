package diceroller_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
)

// checkRoll decodes a result of roll and checks it against its expression.
func checkRoll(t testing.TB, expression, out string) diceroller.Result {
	t.Helper()
	var r diceroller.Result
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("result %s: %v", out, err)
	}
	if r.Expression != expression {
		t.Errorf("expression = %q, want %q", r.Expression, expression)
	}
	if r.Rolls == nil {
		t.Errorf("result %s: rolls is null, want a list", out)
	}
	return r
}

func TestRoll(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"plain", `{"expression":"2d1+3"}`, `{"expression":"2d1+3","rolls":[1,1],"total":5}`},
		{"spaces", ` { "expression" : "1d1" } `, `{"expression":"1d1","rolls":[1],"total":1}`},
		{"escapes", `{"expression":"1d1\u002b1"}`, `{"expression":"1d1+1","rolls":[1],"total":2}`},
		{"wide_minus", `{"expression":"d1−1"}`, `{"expression":"d1−1","rolls":[1],"total":0}`},
		{"tab", `{"expression":"\td1"}`, `{"expression":"\td1","rolls":[1],"total":1}`},
		{"number", `{"expression":"5"}`, `{"expression":"5","rolls":[],"total":5}`},
		{"kept", `{"expression":"3d1kh2"}`, `{"expression":"3d1kh2","rolls":[1,1,1],"total":2,"kept":[1,1],"detail":"3d1kh2: 1, 1, (1) = 2"}`},
		{"sum_of_dice", `{"expression":"2d1-1d1+4"}`, `{"expression":"2d1-1d1+4","rolls":[1,1,1],"total":5,"detail":"2d1-1d1+4: [1, 1] - [1] + 4 = 5"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := diceroller.Tools()[0].Handler(t.Context(), tt.args)
			if err != nil {
				t.Fatalf("roll(%s): %v", tt.args, err)
			}
			if got != tt.want {
				t.Errorf("roll(%s)\n got %s\nwant %s", tt.args, got, tt.want)
			}
		})
	}
}

func TestRollRejects(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"no_json", `2d6`, "JSON object"},
		{"nothing", ``, "JSON object"},
		{"list", `["2d6"]`, "JSON object"},
		{"cut_off", `{"expression":"2d6"`, "JSON object"},
		{"trailing", `{"expression":"2d6"} x`, "JSON object"},
		{"no_expression", `{}`, "nothing to roll"},
		{"other_field", `{"dice":"2d6"}`, "nothing to roll"},
		{"number", `{"expression":6}`, `"expression" must be a string`},
		{"null", `{"expression":null}`, `"expression" must be a string`},
		{"bad_dice", `{"expression":"2d6+"}`, "at the end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := diceroller.Tools()[0].Handler(t.Context(), tt.args)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("roll(%s) = %q, %v; want ErrInvalidArguments with %q", tt.args, out, err, tt.want)
			}
		})
	}
}

func TestCancelledCallsDoNotRoll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range diceroller.Tools() {
		if out, err := tool.Handler(ctx, tool.Probe); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after cancel = %q, %v; want context.Canceled", tool.Definition.Name, out, err)
		}
	}
}

func TestDefinitions(t *testing.T) {
	type facts struct {
		Name                 string
		P50, Max, Est, Limit int
		Idempotent, ReadOnly bool
		Cacheable            int
		Floor                mcp.BudgetTier
		Inline               bool
		Permission           string
	}
	var got []facts
	for _, tool := range diceroller.Tools() {
		d := tool.Definition
		got = append(got, facts{
			d.Name, tool.DeclaredP50, tool.DeclaredMax, d.EstimatedDurationMs, d.MaxDurationMs,
			d.Idempotent, tool.ReadOnly, d.CacheableSeconds, tool.Floor, tool.Inline, tool.Permission,
		})
		if tool.Title == "" || d.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s lacks a title, a description or an output schema", d.Name)
		}
		if out, err := tool.Handler(t.Context(), tool.Probe); err != nil {
			t.Errorf("%s rejects its own probe: %q, %v", d.Name, out, err)
		}
		if _, err := json.Marshal(d.Parameters); err != nil {
			t.Errorf("%s: schema does not encode: %v", d.Name, err)
		}
	}
	want := []facts{
		{"roll", 5, 20, 5, 20, true, true, 0, mcp.BudgetFast, true, "dice.roll"},
		{"roll_table", 5, 20, 5, 20, true, true, 0, mcp.BudgetFast, true, "dice.roll"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
}

func TestDetail(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"one_term", "4d6kh3", "4d6kh3: 6, 5, 4, (1) = 15"},
		{"lowest", "4d6kl1", "4d6kl1: (6), (5), (4), 1 = 1"},
		{"sum", "2d6+2d6kl1-3", "2d6+2d6kl1-3: [6, 5] + [(4), 1] - 3 = 9"},
		{"negative", "-2d6", "-2d6: -[6, 5] = -11"},
		{"number", "5", "5: 5 = 5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := diceroller.Parse(tt.in)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tt.in, err)
			}
			script := script{6, 5, 4, 1}
			if got := e.Roll(&script).Detail(); got != tt.want {
				t.Errorf("detail = %q, want %q", got, tt.want)
			}
		})
	}
}

// script is a source whose dice show these numbers in order.
type script []int

func (s *script) IntN(int) int {
	v := (*s)[0]
	*s = (*s)[1:]
	return v - 1
}

func TestDropKeepsFirstOfEqualDice(t *testing.T) {
	e, err := diceroller.Parse("5d6kh3")
	if err != nil {
		t.Fatal(err)
	}
	throw := script{4, 4, 6, 4, 1}
	want := []diceroller.Die{{Value: 4}, {Value: 4}, {Value: 6}, {Value: 4, Dropped: true}, {Value: 1, Dropped: true}}
	if diff := cmp.Diff(want, e.Roll(&throw).Dice); diff != "" {
		t.Errorf("dice (-want +got):\n%s", diff)
	}
}

func TestSeedRepeats(t *testing.T) {
	sequence := func(seed uint64) (outs []string) {
		for _, tool := range diceroller.Tools(diceroller.WithSeed(seed)) {
			for range 20 {
				out, err := tool.Handler(t.Context(), tool.Probe)
				if err != nil {
					t.Fatalf("%s: %v", tool.Definition.Name, err)
				}
				outs = append(outs, out)
			}
		}
		return outs
	}
	first := sequence(7)
	if diff := cmp.Diff(first, sequence(7)); diff != "" {
		t.Errorf("the same seed rolled differently (-first +second):\n%s", diff)
	}
	if cmp.Equal(first, sequence(8)) {
		t.Error("another seed rolled the same 40 results")
	}
}

func TestConcurrentRolls(t *testing.T) {
	for name, list := range map[string][]diceroller.Option{"fair": nil, "seeded": {diceroller.WithSeed(3)}} {
		t.Run(name, func(t *testing.T) {
			roll := diceroller.Tools(list...)[0].Handler
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 200 {
						out, err := roll(t.Context(), `{"expression":"3d6"}`)
						if err != nil {
							t.Errorf("roll: %v", err)
							return
						}
						r := checkRoll(t, "3d6", out)
						if r.Total < 3 || r.Total > 18 || len(r.Rolls) != 3 {
							t.Errorf("3d6 rolled %s", out)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// chiSquare compares counts with equal or weighted chances.
func chiSquare(counts, weights []int) float64 {
	total, weight := 0, 0
	for i := range counts {
		total += counts[i]
		weight += weights[i]
	}
	sum := 0.0
	for i, n := range counts {
		want := float64(total) * float64(weights[i]) / float64(weight)
		sum += (float64(n) - want) * (float64(n) - want) / want
	}
	return sum
}

func TestDistribution(t *testing.T) {
	fourKeepThree := make([]int, 19)
	for i := range 6 * 6 * 6 * 6 {
		d := [4]int{i%6 + 1, i/6%6 + 1, i/36%6 + 1, i/216 + 1}
		fourKeepThree[d[0]+d[1]+d[2]+d[3]-min(d[0], d[1], d[2], d[3])]++
	}
	lower := make([]int, 21)
	for v := 1; v <= 20; v++ {
		lower[v] = 2*(20-v) + 1
	}
	even := make([]int, 101)
	for v := 1; v <= 100; v++ {
		even[v] = 1
	}
	tests := []struct {
		name, in string
		weights  []int // by total
		limit    float64
	}{
		// The limits are the 99.9 % points for the degrees of freedom.
		{"six_sides", "d6", even[:7], 20.5},
		{"twenty_sides", "d20", even[:21], 43.8},
		{"hundred_sides", "d%", even, 148.2},
		{"keep_highest", "4d6kh3", fourKeepThree, 37.7},
		{"disadvantage", "d20dis", lower, 43.8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := diceroller.Parse(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			src := rand.New(rand.NewPCG(11, 42))
			counts := make([]int, len(tt.weights))
			for range 100_000 {
				counts[e.Roll(src).Total]++
			}
			first := 0
			for tt.weights[first] == 0 {
				if counts[first] != 0 {
					t.Errorf("%s rolled %d", tt.in, first)
				}
				first++
			}
			if got := chiSquare(counts[first:], tt.weights[first:]); got > tt.limit {
				t.Errorf("chi-square = %.1f, want at most %.1f", got, tt.limit)
			}
		})
	}
}

func BenchmarkRoll(b *testing.B) {
	roll := diceroller.Tools()[0].Handler
	for _, in := range []string{"2d6+3", "d20adv+5", "100d1000kh50"} {
		b.Run(in, func(b *testing.B) {
			args := `{"expression":"` + in + `"}`
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := roll(ctx, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := diceroller.Parse("4d6kh3+2d8-1"); err != nil {
			b.Fatal(err)
		}
	}
}
