package mcpbench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// outwardEffort is the length and bounds of the outward server's measurements:
// for one caller, for a call to another server's tool, and for a crowd of
// concurrent callers.
type outwardEffort struct {
	alone, through effort
	crowd          effort // calls counts those of all callers in a round
}

// The usual ratios have slack for busy machines; strict runs use the design's
// targets. Allocations are the same everywhere.
var (
	outwardEveryRun = outwardEffort{
		alone:   effort{bounds{ratio: 1.8, allocs: outwardAllocs, bytes: 1.2}, 3, 120, time.Minute},
		through: effort{bounds{ratio: 1.7, allocs: outwardAllocs}, 3, 120, time.Minute},
		crowd:   effort{bounds{ratio: 2.0}, 2, 640, time.Minute},
	}
	outwardStrictRun = outwardEffort{
		alone:   effort{bounds{ratio: 1.3, allocs: outwardAllocs, bytes: 1.1}, 9, 500, 3 * time.Minute},
		through: effort{bounds{ratio: 1.4, allocs: outwardAllocs}, 9, 500, 3 * time.Minute},
		crowd:   effort{bounds{ratio: 1.6}, 5, 4000, 5 * time.Minute},
	}
)

// outwardAllocs bounds the additional allocations per call over the bare SDK,
// because the server identifies the caller, checks rights and limits, and
// records the call. 138 to 175 were measured.
const outwardAllocs = 200

// TestOutwardCostsLittle compares the outward server with a bare server of the
// SDK with the same tool, and with one of mcp-go.
func TestOutwardCostsLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; run without -race, as make test does once more")
	}
	e := outwardEveryRun
	if *strict {
		e = outwardStrictRun
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "outward\tserver\tp50 µs\tp99 µs\tB/call\tallocs/call\tp50 ratio\tallocs more\t")
	for _, r := range roads() {
		for _, way := range []struct {
			name   string
			effort effort
			run    func(context.Context) ([]figures, error)
		}{
			{"alone", e.alone, alone(r.openRoad(t), e.alone)},
			{"through", e.through, alone(r.openThrough(t), e.through)},
			{"crowd", e.crowd, together(r.openCrowds(t), e.crowd)},
		} {
			t.Run(r.name+"/"+way.name, func(t *testing.T) {
				found, broken := way.effort.hold(t, way.run)
				rows(w, r.name+"/"+way.name, found)
				for _, why := range broken {
					t.Errorf("the outward server costs too much in %d measurements: %s", tries, why)
				}
			})
		}
	}
	must(t, "printing", w.Flush())
	if *strict {
		_, err := table.WriteTo(os.Stdout)
		must(t, "printing", err)
		return
	}
	t.Logf("\n%s", table.String())
}

func alone(all []contender, e effort) func(context.Context) ([]figures, error) {
	return func(ctx context.Context) ([]figures, error) { return measure(ctx, all, e.rounds, e.calls) }
}

func together(crowds [][]contender, e effort) func(context.Context) ([]figures, error) {
	return func(ctx context.Context) ([]figures, error) { return measureCrowds(ctx, crowds, e.rounds, e.calls) }
}

// hold measures a few times until the bounds hold, because noise passes and
// cost stays. It returns the last figures and the bounds they exceed.
func (e effort) hold(t *testing.T, run func(context.Context) ([]figures, error)) ([]figures, []string) {
	t.Helper()
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(t.Context(), e.patience)
		found, err := run(ctx)
		cancel()
		switch {
		case err != nil && try < tries: // a starved machine can stall a server
			t.Logf("try %d: %v", try, err)
			continue
		case err != nil:
			t.Fatal(err)
		}
		broken := e.broken(found[0], found[len(found)-1])
		if len(broken) == 0 || try == tries {
			return found, broken
		}
		t.Logf("try %d: %q", try, broken)
	}
}

// measureCrowds is measure for many concurrent callers: each contender's crowd
// runs alone, because concurrent crowds would share their delays.
func measureCrowds(ctx context.Context, crowds [][]contender, rounds, calls int) ([]figures, error) {
	p50, p99, ratios := make([][]int64, len(crowds)), make([][]int64, len(crowds)), make([][]float64, len(crowds))
	for n := range rounds + 1 {
		mids := make([]time.Duration, len(crowds))
		for k := range crowds {
			i := (n + k) % len(crowds)
			runtime.GC() // every turn starts with an equally clean heap
			took, err := crowd(ctx, crowds[i], calls)
			if err != nil {
				return nil, fmt.Errorf("calling through %s: %w", crowds[i][0].name, err)
			}
			slices.Sort(took)
			mids[i] = percentile(took, 50)
			if n > 0 { // the first round is the warm-up
				p50[i], p99[i] = append(p50[i], int64(mids[i])), append(p99[i], int64(percentile(took, 99)))
			}
		}
		for i := range crowds {
			if n > 0 {
				ratios[i] = append(ratios[i], float64(mids[i])/float64(mids[0]))
			}
		}
	}
	found := make([]figures, len(crowds))
	for i, c := range crowds {
		found[i] = figures{name: c[0].name, p50: time.Duration(median(p50[i])), p99: time.Duration(median(p99[i])), ratio: median(ratios[i])}
	}
	return found, nil
}

// TestOutwardServesACrowd lets many callers call at once, without a time bound.
func TestOutwardServesACrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, r := range roads() {
		t.Run(r.name, func(t *testing.T) {
			own := r.openCrowds(t)[2]
			took, err := crowd(t.Context(), own, 3*len(own))
			must(t, "calling", err)
			if slices.Contains(took, 0) {
				t.Errorf("some of %d calls were not made", len(took))
			}
		})
	}
}
