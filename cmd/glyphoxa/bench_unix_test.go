//go:build unix

package main_test

import (
	"testing"
	"time"
)

// BenchmarkColdPrompt measures the time from the start of the program to the
// prompt at a terminal, with an existing data directory.
func BenchmarkColdPrompt(b *testing.B) {
	h := newProgram(b)
	h.play("Bartok, hello")
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		s := h.screen(80, 24, "play")
		s.shows("/quit leaves.", "\n>")
		took = append(took, time.Since(start))
		s.press("/quit\r")
		s.leaves()
	}
	reportQuantiles(b, took)
}
