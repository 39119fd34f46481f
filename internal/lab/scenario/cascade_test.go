package scenario_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
)

// twoModels is a question to a fast model that takes 200 ms and a strong one
// that takes 900 ms, with a voice that takes 100 ms.
const twoModels = `
title: A question to a strong model
proves: "First sound with simulated latencies."
engines: [cascaded, sentence_cascade]
npcs:
  - {name: Mira}
model:
  first_token: 900ms
  opens: 200ms
  replies:
    - {on: king, opens: "[MORE] The king, you say.", says: "He died last winter. Nobody knows how."}
voice: {first_sound: 100ms}
story:
  - {at: 300ms, who: Anna, says: "Mira, what of the king?"}
expect:
  - {outcomes: [delivered]}
`

// TestOpenerIsHeardEarlier compares the two engines at the same table.
func TestOpenerIsHeardEarlier(t *testing.T) {
	s, problems := scenario.Parse("two_models.yaml", []byte(twoModels), os.ReadFile)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	first := map[string]time.Duration{}
	for _, v := range s.Variants() {
		r, err := scenario.Play(t.Context(), v, nil)
		if err != nil {
			t.Fatal(err)
		}
		report(t, r)
		for _, e := range r.Entries {
			if ms, err := strconv.ParseFloat(e.Fields["ledger.first_sound_ms"], 64); err == nil {
				first[v.Engine] = time.Duration(ms * float64(time.Millisecond))
			}
		}
	}
	plain, opened := first[config.EngineCascaded], first[config.EngineSentenceCascade]
	t.Logf("first sound after %v cascaded, %v with an opener", plain, opened)
	if opened <= 0 || opened > plain-500*time.Millisecond {
		t.Errorf("first sound after %v cascaded and %v with an opener, want half a second less", plain, opened)
	}
}
