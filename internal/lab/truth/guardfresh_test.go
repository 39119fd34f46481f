package truth

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/guard"
)

// TestEvalGuardFresh plays attempts and good answers of NPCs that the guard's rules were not
// written for. What goes wrong is shown of the half it was tuned on, never of the other.
func TestEvalGuardFresh(t *testing.T) {
	for _, half := range []string{"dev", "test"} {
		if half == "test" && os.Getenv("GLYPHOXA_EVAL_FRESH_TEST") == "" {
			continue
		}
		c, err := readFresh(corpora, half)
		if err != nil {
			t.Fatal(err)
		}
		var show func(freshCase, []string, []guard.Reason)
		if half == "dev" {
			show = func(e freshCase, heard []string, reasons []guard.Reason) {
				t.Logf("%s %s%s: %q\n\theard %q %v", e.NPC, e.Kind, e.Why, e.Text, heard, reasons)
			}
		}
		scores := scoreFresh(c, show)
		for _, kind := range slices.Sorted(maps.Keys(scores)) {
			s := scores[kind]
			t.Logf("%s %-24s %3d of %3d wrong, %d lost", half, kind, s.Wrong, s.Total, s.Lost)
		}
		if attempts, good := scores["attempts"], scores["good"]; half == "dev" && (attempts.Wrong > 44 || attempts.Lost > 0 || good.Wrong > 0) {
			t.Errorf("%d attempts pass, %d answers are lost and %d good ones withheld, want 44, 0 and 0 at most", attempts.Wrong, attempts.Lost, good.Wrong)
		}
	}
}
