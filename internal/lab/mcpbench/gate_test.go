package mcpbench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"testing"
	"text/tabwriter"
	"time"
)

// bounds limit the cost of a call through the host relative to one through the
// SDK.
type bounds struct {
	ratio  float64 // p50 over p50
	allocs float64 // additional allocations
	bytes  float64 // bytes allocated over bytes allocated; 0 means no bound
}

// effort is the length of a measurement, and its bounds.
type effort struct {
	bounds
	rounds, calls int
	// patience bounds one measurement.
	patience time.Duration
}

// tries is how often a measurement may be repeated, because noise passes and
// cost stays.
const tries = 3

// everyRun allows some slack in the ratio for busy machines; strictRun uses the
// design's targets. Allocations are the same everywhere: 32 over HTTP, because the host reads a server's events
// before the SDK does, so that it can repair them.
var (
	everyRun  = effort{bounds{ratio: 1.3, allocs: 36}, 5, 300, time.Minute}
	strictRun = effort{bounds{ratio: 1.15, allocs: 36}, 9, 500, 3 * time.Minute}
)

// broken lists the bounds that the host exceeds.
func (b bounds) broken(raw, host figures) []string {
	var all []string
	if host.ratio > b.ratio {
		all = append(all, fmt.Sprintf("its p50 is %.2f times the SDK's, want at most %.2f", host.ratio, b.ratio))
	}
	if more := host.allocs - raw.allocs; more > b.allocs+0.5 { // background work may add half an allocation
		all = append(all, fmt.Sprintf("it allocates %.0f times more often a call than the SDK, want at most %.0f", more, b.allocs))
	}
	if b.bytes > 0 && host.bytes > b.bytes*raw.bytes {
		all = append(all, fmt.Sprintf("it allocates %.2f times the SDK's bytes a call, want at most %.2f", host.bytes/raw.bytes, b.bytes))
	}
	return all
}

// TestHostCostsLittle compares the host with the SDK on every transport.
func TestHostCostsLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; run without -race, as make test does once more")
	}
	e := everyRun
	if *strict {
		e = strictRun
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "transport\tclient\tp50 µs\tp99 µs\tB/call\tallocs/call\tp50 ratio\tallocs more\t")
	for _, tr := range transports() {
		if !tr.gated && !*strict {
			continue
		}
		t.Run(tr.name, func(t *testing.T) {
			found, broken := e.settle(t, tr, tr.open(t, tr.asks))
			rows(w, tr.name, found)
			for _, why := range broken {
				t.Errorf("the host costs too much in %d measurements of %d rounds of %d calls: %s", tries, e.rounds, e.calls, why)
			}
		})
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if *strict {
		if _, err := io.Copy(os.Stdout, &table); err != nil {
			t.Error(err)
		}
		return
	}
	t.Logf("\n%s", table.String())
}

// settle is hold for a transport, whose bounds count if it is gated.
func (e effort) settle(t *testing.T, tr transport, all []contender) ([]figures, []string) {
	t.Helper()
	if !tr.gated {
		e.bounds = bounds{ratio: math.Inf(1), allocs: math.Inf(1)}
	}
	return e.hold(t, alone(all, e))
}

func rows(w io.Writer, transport string, found []figures) {
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	for _, f := range found {
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f\t%+.0f\t\n", transport, f.name, us(f.p50), us(f.p99), f.bytes, f.allocs, f.ratio, f.allocs-found[0].allocs)
	}
}

// TestBoundsBreak checks that the gate can fail.
func TestBoundsBreak(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	raw := figures{name: rawSDK, ratio: 1, allocs: 70.3, bytes: 100}
	for _, tc := range []struct {
		name   string
		host   figures
		bounds bounds
		want   int
	}{
		{"as good", figures{ratio: 1, allocs: 70.3}, strictRun.bounds, 0},
		{"at the bounds", figures{ratio: 1.15, allocs: 106.3}, strictRun.bounds, 0},
		{"a stray allocation of somebody else", figures{ratio: 1, allocs: 106.7}, strictRun.bounds, 0},
		{"one allocation too many", figures{ratio: 1, allocs: 107.3}, strictRun.bounds, 1},
		{"slower than the design", figures{ratio: 1.16, allocs: 70.3}, strictRun.bounds, 1},
		{"within the slack of a busy machine", figures{ratio: 1.16, allocs: 70.3}, everyRun.bounds, 0},
		{"slower than any slack", figures{ratio: 1.31, allocs: 70.3}, everyRun.bounds, 1},
		{"half of the bytes", figures{ratio: 1, bytes: 50}, bounds{ratio: 1, bytes: 0.5}, 0},
		{"more than half of the bytes", figures{ratio: 1, bytes: 51}, bounds{ratio: 1, bytes: 0.5}, 1},
		{"both", figures{ratio: 2, allocs: 200}, everyRun.bounds, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.bounds.broken(raw, tc.host); len(got) != tc.want {
				t.Errorf("broken = %q, want %d complaints", got, tc.want)
			}
		})
	}
}

// TestEveryContenderAnswers calls through each contender a few times on each
// transport.
func TestEveryContenderAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, tr := range transports() {
		t.Run(tr.name, func(t *testing.T) {
			for _, c := range tr.open(t, tr.asks) {
				for range 3 {
					if text, err := c.call(t.Context()); err != nil || text != c.answer {
						t.Errorf("%s: %q, %v; want %q", c.name, text, err, c.answer)
					}
				}
			}
		})
	}
}
