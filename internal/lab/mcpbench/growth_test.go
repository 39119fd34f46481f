package mcpbench

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// The allowed slopes. A step's slope is the number of decades its cost grows
// per decade of size, 1 for work that visits everything once.
var (
	// straight is for work on everything there is.
	straight = growth{"straight", 1.15, 1.15}
	// moved is for changing one of many: lists are copied, and no other data is
	// created.
	moved = growth{"moved", 0.10, 1.15}
	// flat is for work on one item. Its time grows a little with size, because
	// less fits in the processor's caches and trees are deeper.
	flat = growth{"flat", 0.10, 0.30}
)

// growth is a bound on slopes.
type growth struct {
	name          string
	allocs, times float64
}

// expense is the cost of work: processor time, not clock time.
type expense struct {
	took          time.Duration
	allocs, bytes float64
}

// step is work whose expense is measured over several rounds; prepare, if not
// nil, runs before each, uncounted.
type step struct {
	name   string
	bound  growth
	rounds int
	// from is the smallest size at which the step has its named meaning.
	from int
	// each is the number of items that one run handles; 0 means 1.
	each    int
	prepare func()
	work    func()
}

// measure runs the step and returns the median expense of its rounds.
func (s *step) measure() expense {
	var took, allocs, bytes []float64
	var before, after runtime.MemStats
	each := float64(max(s.each, 1))
	for range s.rounds {
		if s.prepare != nil {
			s.prepare()
			runtime.GC() // so that garbage of the preparation is not collected during the step
		}
		runtime.ReadMemStats(&before)
		start := processorTime()
		s.work()
		d := processorTime() - start
		runtime.ReadMemStats(&after)
		took = append(took, float64(d)/each)
		allocs = append(allocs, float64(after.Mallocs-before.Mallocs)/each)
		bytes = append(bytes, float64(after.TotalAlloc-before.TotalAlloc)/each)
	}
	return expense{time.Duration(median(took)), median(allocs), median(bytes)}
}

// series is a step's cost at each size.
type series struct {
	step  string
	bound growth
	sizes []int
	costs []expense
}

// slope is the slope of the best-fit line through the points on logarithmic
// axes. Values below floor count as floor, because a few allocations mean
// nothing.
func (s *series) slope(floor float64, of func(expense) float64) float64 {
	var x, y, xx, xy float64
	for i, size := range s.sizes {
		lx, ly := math.Log(float64(size)), math.Log(max(of(s.costs[i]), floor))
		x, y, xx, xy = x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	n := float64(len(s.sizes))
	return (n*xy - x*y) / (n*xx - x*x)
}

func (s *series) slopes() (times, allocs float64) {
	times = s.slope(float64(time.Microsecond), func(e expense) float64 { return float64(e.took) })
	return times, s.slope(10, func(e expense) float64 { return e.allocs })
}

// broken lists the bounds that the series exceeds.
func (s *series) broken(timed bool) []string {
	var all []string
	times, allocs := s.slopes()
	if allocs > s.bound.allocs {
		all = append(all, fmt.Sprintf("allocations grow with the power of %.2f, want at most %.2f", allocs, s.bound.allocs))
	}
	if timed && times > s.bound.times {
		all = append(all, fmt.Sprintf("time grows with the power of %.2f, want at most %.2f", times, s.bound.times))
	}
	return all
}

// atSizes measures, at each size, the steps that open returns, each in its own
// test.
func atSizes(t *testing.T, sizes []int, open func(t *testing.T, size int) []step) []*series {
	t.Helper()
	var all []*series
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			for i, s := range open(t, size) {
				runtime.GC()
				if len(all) == i {
					all = append(all, &series{step: s.name, bound: s.bound})
				}
				if size >= s.from {
					all[i].sizes, all[i].costs = append(all[i].sizes, size), append(all[i].costs, s.measure())
				}
			}
		})
	}
	return all
}

// holdGrowth prints a table of the growth and fails if it is too large. Only
// make bench-growth checks times, because other machines are busy.
func holdGrowth(t *testing.T, what string, all []*series) {
	t.Helper()
	if t.Failed() {
		return // a step without figures at every size has no slope
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(tw, "| %s\t| bound\t| slope of time, allocations\t| at %s\t|\n", what, strings.Join(words(all[0].sizes), ", "))
	fmt.Fprint(tw, "|---\t|---\t|---\t|---\t|\n")
	for _, s := range all {
		times, allocs := s.slopes()
		var costs []string
		for _, e := range s.costs {
			costs = append(costs, fmt.Sprintf("%v / %.0f", rounded(e.took), e.allocs))
		}
		fmt.Fprintf(tw, "| %s\t| %s\t| %.2f, %.2f\t| %s\t|\n", s.step, s.bound.name, times, allocs, strings.Join(costs, "; "))
	}
	fmt.Fprintln(tw)
	if err := tw.Flush(); err != nil {
		t.Error(err)
	}
	for _, s := range all {
		for _, b := range s.broken(*strict) {
			t.Errorf("%s, %s: %s", what, s.step, b)
		}
	}
}

func words(sizes []int) []string {
	var all []string
	for _, n := range sizes {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// rounded returns a number with at most three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// sizes returns the decades from the smallest size: all of them for make
// bench-growth, otherwise three.
func sizes(from, to int) []int {
	var all []int
	for n := from; n <= to; n *= 10 {
		all = append(all, n)
	}
	if !*strict {
		all = all[:3]
	}
	return all
}

func TestSlope(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, row := range []struct {
		name   string
		bound  growth
		allocs []float64
		slope  float64
		broken bool
	}{
		{"straight", straight, []float64{100, 1000, 10_000}, 1, false},
		{"quadratic", straight, []float64{100, 10_000, 1_000_000}, 2, true},
		{"flat", flat, []float64{70, 70, 70}, 0, false},
		{"few", flat, []float64{0, 3, 9}, 0, false},
		{"grows", flat, []float64{100, 1000, 10_000}, 1, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := series{bound: row.bound, sizes: []int{10, 100, 1000}}
			for _, n := range row.allocs {
				s.costs = append(s.costs, expense{allocs: n})
			}
			if _, got := s.slopes(); math.Abs(got-row.slope) > 1e-9 {
				t.Errorf("slope = %v, want %v", got, row.slope)
			}
			if got := len(s.broken(true)) > 0; got != row.broken {
				t.Errorf("broken = %v, want %v", got, row.broken)
			}
		})
	}
	if got := sizes(50, 50_000); !slices.Equal(got[:3], []int{50, 500, 5000}) {
		t.Errorf("sizes = %v", got)
	}
}
