package silent_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/silent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSilentYieldsNothing(t *testing.T) {
	var p tts.Provider = silent.New()
	for pcm, err := range p.Synthesize(t.Context(), "Hello.", tts.Voice{ID: "any"}) {
		t.Errorf("yielded %d samples, %v; want nothing", len(pcm.Samples), err)
	}
	if got := p.Name(); got != "silent" {
		t.Errorf("Name = %q, want %q", got, "silent")
	}
}
