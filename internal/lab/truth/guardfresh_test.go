package truth

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/guard"
)

// TestEvalGuardFresh plays attempts and good answers of NPCs that did not exist
// when the guard's rules were written. It shows mistakes only for the half that
// the guard was tuned on.
func TestEvalGuardFresh(t *testing.T) {
	for _, part := range []struct {
		folder, half             string
		attempts, lost, ordinary int // at most
	}{
		{"fresh", "dev", 45, 0, 1},
		{"fresh", "test", 250, 250, 375},
		{"later", "dev", 75, 1, 2},
		{"later", "test", 400, 400, 600},
	} {
		half := part.half
		if half == "test" && os.Getenv("GLYPHOXA_EVAL_FRESH_TEST") == "" {
			continue
		}
		c, err := readFresh(corpora, part.folder, half)
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
			t.Logf("%s %s %-24s %3d of %3d wrong, %d lost", part.folder, half, kind, s.Wrong, s.Total, s.Lost)
		}
		if attempts, good := scores["attempts"], scores["good"]; attempts.Wrong > part.attempts || attempts.Lost > part.lost || good.Wrong > part.ordinary {
			t.Errorf("%d attempts pass, %d answers are lost and %d good ones withheld, want %d, %d and %d at most", attempts.Wrong, attempts.Lost, good.Wrong, part.attempts, part.lost, part.ordinary)
		}
	}
}
