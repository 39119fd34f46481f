package voicebench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
)

// figures summarise the rounds of one contender. Times are in milliseconds,
// memory in MiB.
type figures struct {
	contender string
	turns     int
	// first runs from the final transcript to the first frame, over is its part
	// without the scripted providers.
	first, over, cleared, wire spread
	late                       int
	// cpu is the processor time per turn.
	cpu float64
	// rss is the process's resident memory with all tables, base without any.
	rss, base, heap float64
}

// spread is the median and a high percentile of samples; both are NaN if there
// are none.
type spread struct{ p50, p95 float64 }

func spreadOf(samples []float64) spread {
	if len(samples) == 0 {
		return spread{math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(samples))
	return spread{percentile(sorted, 50), percentile(sorted, 95)}
}

// percentile returns the nearest rank among sorted values.
func percentile(sorted []float64, p int) float64 { return sorted[(len(sorted)*p+99)/100-1] }

// sum takes percentiles over the turns of all rounds, and medians of the
// figures of each round.
func sum(contender string, rounds []report) figures {
	var first, over, cleared, wire, cpu, rss, base, heap []float64
	f := figures{contender: contender}
	for _, r := range rounds {
		first, cleared, wire = append(first, r.First...), append(cleared, r.Cleared...), append(wire, r.Wire...)
		for i := range r.First {
			over = append(over, r.First[i]-r.Waited[i])
		}
		f.late += r.Late
		f.turns += len(r.First)
		cpu = append(cpu, r.CPUS*1000/float64(max(1, len(r.First))))
		rss, base, heap = append(rss, r.RSSMB), append(base, r.BaseMB), append(heap, r.HeapMB)
	}
	f.first, f.over, f.cleared, f.wire = spreadOf(first), spreadOf(over), spreadOf(cleared), spreadOf(wire)
	f.cpu, f.rss, f.base, f.heap = spreadOf(cpu).p50, spreadOf(rss).p50, spreadOf(base).p50, spreadOf(heap).p50
	return f
}

const heading = "providers ms\ttables\tcontender\tturns\tfinal→frame p50\tp95\twithout providers p50\tp95\tinterrupt→cleared p50\tp95\tlast sound p50\tp95\tCPU ms/turn\tRSS MiB\tMiB/table\tp50 ratio\tlate\t"

// row writes f in the columns of heading, with the ratio of the time without
// providers to that of against.
func (f figures) row(w io.Writer, l latency, tables int, against figures) error {
	wire := "–\t–"
	if !math.IsNaN(f.wire.p50) {
		wire = fmt.Sprintf("%.1f\t%.1f", f.wire.p50, f.wire.p95)
	}
	_, err := fmt.Fprintf(w, "%.0f+%.0f\t%d\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\t%.3f\t%s\t%.2f\t%.0f\t%.2f\t%.2f\t%d\t\n",
		millis(l.llm), millis(l.tts), tables, f.contender, f.turns, f.first.p50, f.first.p95, f.over.p50, f.over.p95,
		f.cleared.p50, f.cleared.p95, wire, f.cpu, f.rss, f.rss/float64(tables), f.over.p50/against.over.p50, f.late)
	return err
}

func TestSum(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	f := sum("x", []report{
		{First: []float64{280, 281}, Waited: []float64{275, 275}, Cleared: []float64{1, 2}, CPUS: 0.01, RSSMB: 10},
		{First: []float64{290}, Waited: []float64{276}, Cleared: []float64{3}, CPUS: 0.02, RSSMB: 30, Late: 1},
	})
	if f.turns != 3 || f.first.p50 != 281 || f.over != (spread{6, 14}) || f.cleared.p50 != 2 || f.late != 1 {
		t.Errorf("sum = %+v, want 3 turns, first p50 281, over 6 and 14, cleared 2, 1 late", f)
	}
	if f.cpu != 5 || f.rss != 10 {
		t.Errorf("cpu %v ms, rss %v MiB, want the lower medians 5 and 10", f.cpu, f.rss)
	}
	if !math.IsNaN(f.wire.p95) {
		t.Errorf("wire p95 = %v without samples, want NaN", f.wire.p95)
	}
}
