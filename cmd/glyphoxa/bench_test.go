package main_test

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkColdStart measures the time from the start of the program to the
// first event on its pipe, with an existing data directory. A script's first
// line waits until the program has read the rules and measured the tools; see
// [BenchmarkColdPrompt].
func BenchmarkColdStart(b *testing.B) {
	h := newProgram(b)
	h.play("Bartok, hello")
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		s := h.start("play", "--json")
		s.say("Bartok, hello")
		s.wait("utterance")
		took = append(took, time.Since(start))
		s.leave()
	}
	reportQuantiles(b, took)
}

// reportQuantiles reports the median and the 95th percentile.
func reportQuantiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for name, q := range map[string]int{"p50-ms": 50, "p95-ms": 95} {
		b.ReportMetric(float64(took[(len(took)-1)*q/100].Microseconds())/1000, name)
	}
}
