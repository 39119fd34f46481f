package scenario_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/scenario"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// mute is a synthesiser without a voice.
type mute struct{}

func (mute) Name() string { return "mute" }

func (mute) Synthesize(context.Context, string, tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(func(tts.PCM, error) bool) {}
}

// TestNoPlaceForFiles shows that a scene that cannot begin is not judged.
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
