package scenario_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// mute is a synthesiser without a voice.
type mute struct{}

func (mute) Name() string { return "mute" }

func (mute) Synthesize(context.Context, string, tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(func(tts.PCM, error) bool) {}
}

// hum is a synthesiser that hums every text, and fails at one.
type hum struct{ poison string }

func (hum) Name() string { return "hum" }

func (h hum) Synthesize(_ context.Context, text string, _ tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		if h.poison != "" && strings.Contains(text, h.poison) {
			yield(tts.PCM{}, errors.New("the synthesiser choked"))
			return
		}
		samples := make([]int16, 24_000/2)
		for i := range samples {
			samples[i] = int16(8000 * math.Sin(float64(i)/20) * (1 + math.Sin(float64(i)/1500)) / 2)
		}
		yield(tts.PCM{Samples: samples, Rate: 24_000}, nil)
	}
}

const quietScene = `title: Nobody is called
proves: The end is a moment that expectations can name.
npcs: [{name: Bart}, {name: Mira}]
story:
  - {who: Ana, says: What a day.}
expect:
  - {absent: barge, before: end}
  - {event: utterance, before: end}
  - {event: end, after: utterance}
`

// written loads a scene from text.
func written(t *testing.T, text string) *scenario.Scene {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scene.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := scenario.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestBeforeTheEnd uses the end of a scene in patterns, in virtual and in real
// time.
func TestBeforeTheEnd(t *testing.T) {
	s := written(t, quietScene)
	for name, o := range map[string]*scenario.Options{"virtual": nil, "real": {Speech: hum{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := scenario.Play(t.Context(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range r.Verdicts {
				if !v.OK {
					t.Errorf("%s: %s", v.Expect, v.Message)
				}
			}
		})
	}
}

// TestAVoiceFailsBeforehand checks that a scene fails with a reason if a
// player's or NPC's words cannot be synthesised.
func TestAVoiceFailsBeforehand(t *testing.T) {
	for who, poison := range map[string]string{"Ana": "day", "the NPCs": "Aye"} {
		r, err := scenario.Play(t.Context(), written(t, quietScene), &scenario.Options{Speech: hum{poison}})
		if err != nil || r == nil || r.OK() {
			t.Fatalf("Play = %v, %v; want a scene that failed", r, err)
		}
		failed := ""
		for _, v := range r.Verdicts {
			if v.OK {
				t.Errorf("%s holds, though the scene was not played", v.Expect)
			}
			failed += v.Expect + ": " + v.Message + "\n"
		}
		if !strings.Contains(failed, "speaking for "+who+": the synthesiser choked") {
			t.Errorf("the verdicts are\n%s\nwant who could not be spoken, and why", failed)
		}
	}
}

// TestNoPlaceForFiles checks that a scene that cannot begin is not judged.
func TestNoPlaceForFiles(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	s := scenes(t)[0]
	for name, o := range map[string]*scenario.Options{"virtual": nil, "real": {Speech: mute{}}} {
		r, err := scenario.Play(t.Context(), s, o)
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), s.File+": setting the stage: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: Play = %v, %v, want one line that names the scene and what is missing", name, r, err)
		}
	}
}

func TestInterruptedScene(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := scenario.Play(ctx, scenes(t)[0], nil); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Play = %v, %v, want that it was cancelled", r, err)
	}
}
