package main_test

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkColdStart measures from the start of the program to its first
// event, with a data directory that is there already.
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
	slices.Sort(took)
	for name, q := range map[string]int{"p50-ms": 50, "p95-ms": 95} {
		b.ReportMetric(float64(took[(len(took)-1)*q/100].Microseconds())/1000, name)
	}
}
