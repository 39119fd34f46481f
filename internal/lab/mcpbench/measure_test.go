package mcpbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// figures are the measurements of one contender.
type figures struct {
	name string
	// p50 and p99 are those of one call: the medians over the rounds.
	p50, p99 time.Duration
	// ratio is p50 over the SDK's p50: the median of the rounds' ratios.
	ratio float64
	// bytes and allocs are per call, including those of a server in this
	// process.
	bytes, allocs float64
}

// round makes calls through every contender. They take turns in random order,
// so that other load on the machine affects all alike.
func round(ctx context.Context, all []contender, calls int, rng *rand.Rand) ([][]time.Duration, error) {
	took := make([][]time.Duration, len(all))
	for i := range took {
		took[i] = make([]time.Duration, 0, calls)
	}
	order := rng.Perm(len(all))
	for range calls {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			start := time.Now()
			text, err := all[i].call(ctx)
			took[i] = append(took[i], time.Since(start))
			if err != nil {
				return nil, fmt.Errorf("calling through %s: %w", all[i].name, err)
			}
			if text != all[i].answer {
				return nil, fmt.Errorf("calling through %s: got %q, want %q", all[i].name, text, all[i].answer)
			}
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took, nil
}

// percentile returns the nearest rank among sorted values.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[(len(sorted)*p+99)/100-1]
}

func median[T int64 | float64](values []T) T {
	values = slices.Sorted(slices.Values(values))
	mid := len(values) / 2
	if len(values)%2 == 0 {
		return (values[mid-1] + values[mid]) / 2
	}
	return values[mid]
}

// measure runs rounds of calls through every contender, then counts allocations
// per call. The first contender is the reference.
func measure(ctx context.Context, all []contender, rounds, calls int) ([]figures, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	if _, err := round(ctx, all, calls/4+1, rng); err != nil { // warm-up
		return nil, err
	}
	p50, p99, ratios := make([][]int64, len(all)), make([][]int64, len(all)), make([][]float64, len(all))
	for range rounds {
		runtime.GC() // every round starts with an equally clean heap
		took, err := round(ctx, all, calls, rng)
		if err != nil {
			return nil, err
		}
		for i := range all {
			mid := percentile(took[i], 50)
			p50[i], p99[i] = append(p50[i], int64(mid)), append(p99[i], int64(percentile(took[i], 99)))
			ratios[i] = append(ratios[i], float64(mid)/float64(percentile(took[0], 50)))
		}
	}
	found := make([]figures, len(all))
	for i := range all {
		bytes, allocs, err := allocations(ctx, all[i], calls)
		if err != nil {
			return nil, err
		}
		found[i] = figures{
			name: all[i].name, p50: time.Duration(median(p50[i])), p99: time.Duration(median(p99[i])),
			ratio: median(ratios[i]), bytes: bytes, allocs: allocs,
		}
	}
	return found, nil
}

// allocations counts the allocations of one call: the median of several
// batches, so that background work does not count.
func allocations(ctx context.Context, c contender, calls int) (bytes, allocs float64, err error) {
	const batches = 5
	var b, n []float64
	var before, after runtime.MemStats
	for range batches {
		runtime.ReadMemStats(&before)
		for range calls {
			if _, err := c.call(ctx); err != nil {
				return 0, 0, fmt.Errorf("calling through %s: %w", c.name, err)
			}
		}
		runtime.ReadMemStats(&after)
		b = append(b, float64(after.TotalAlloc-before.TotalAlloc)/float64(calls))
		n = append(n, float64(after.Mallocs-before.Mallocs)/float64(calls))
	}
	return median(b), median(n), nil
}

func TestMedianAndPercentile(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	sorted := make([]time.Duration, 100)
	for i := range sorted {
		sorted[i] = time.Duration(i + 1)
	}
	if p50, p99 := percentile(sorted, 50), percentile(sorted, 99); p50 != 50 || p99 != 99 {
		t.Errorf("percentiles of 1 to 100 = %d, %d, want 50, 99", p50, p99)
	}
	if p99 := percentile(sorted[:1], 99); p99 != 1 {
		t.Errorf("p99 of one value = %d, want it", p99)
	}
	for _, tc := range []struct {
		name string
		in   []float64
		want float64
	}{
		{"odd", []float64{3, 1, 2}, 2},
		{"even", []float64{4, 1, 2, 3}, 2.5},
		{"outlier", []float64{1, 1, 900}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := median(tc.in); got != tc.want {
				t.Errorf("median(%v) = %v, want %v", tc.in, got, tc.want)
			}
		})
	}
}
