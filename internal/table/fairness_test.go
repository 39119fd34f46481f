package table_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestPlayersTakeTurns: a player's single line is answered among the many earlier lines of
// another, and each player's lines stay in order.
func TestPlayersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), alone: true})
		const lines = 12
		for n := range lines {
			r.speak("Alice", fmt.Sprintf("Mira, tell me of road %d.", n))
		}
		for n := range 2 {
			r.speak("Ben", fmt.Sprintf("Mira, where is my mug %d?", n))
		}
		time.Sleep(time.Minute)
		words := map[int64]*table.Heard{}
		for _, h := range of[*table.Heard](r.events) {
			words[h.Turn] = h
		}
		var order []string
		said := map[string][]string{}
		for _, s := range of[*table.TurnStarted](r.events) {
			h := words[s.Turn]
			order = append(order, h.Speaker)
			said[h.Speaker] = append(said[h.Speaker], h.Text)
		}
		if len(order) != lines+2 || slices.Index(order, "Ben") > 3 {
			t.Errorf("%d turns, in the order %q, want Ben's among the first", len(order), order)
		}
		for who, all := range said {
			if !slices.IsSorted(all[:min(len(all), 10)]) {
				t.Errorf("%s is answered in the order %q", who, all)
			}
		}
	})
}
