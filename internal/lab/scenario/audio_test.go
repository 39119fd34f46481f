package scenario_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
)

// TestScenesOverAudio plays the scenes marked for it in real time: a
// synthesiser speaks for players and NPCs, and first sound and interruption are
// measured on the table's output. The scenes run in parallel, because they
// mostly wait. A busy machine delays real time, so a failed scene is played
// once more, alone.
func TestScenesOverAudio(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	speech, err := scenario.Synthesiser()
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; sh testdata/peers/install.sh installs it", err)
	}
	began := time.Now()
	var chosen []*scenario.Scene
	for _, s := range variants(scenes(t)) {
		if s.Audio {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) < 12 {
		t.Errorf("%d scenes are marked for audio, want a dozen", len(chosen))
	}
	play := func(s *scenario.Scene) *scenario.Result {
		r, err := scenario.Play(t.Context(), s, &scenario.Options{Speech: speech})
		if err != nil {
			t.Error(err)
			return nil
		}
		return r
	}
	results := make([]*scenario.Result, len(chosen))
	var playing sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i, s := range chosen {
		slots <- struct{}{}
		playing.Go(func() {
			results[i] = play(s)
			<-slots
		})
	}
	playing.Wait()
	for i, s := range chosen {
		t.Run(name(s), func(t *testing.T) {
			r := results[i]
			for again := 0; r != nil && !r.OK() && again < 2; again++ {
				t.Log("failed beside others; alone:")
				r = play(s)
			}
			if r == nil {
				t.Fatal("not played")
			}
			for _, v := range r.Verdicts {
				if strings.HasPrefix(v.Expect, "voice.o") && v.Message != "" {
					t.Logf("measured: %s: %s", v.Expect, v.Message)
				}
			}
			report(t, r)
		})
	}
	t.Logf("%d scenes over audio took %.1f s", len(chosen), time.Since(began).Seconds())
}
