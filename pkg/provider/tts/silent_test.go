package tts_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

func TestSilentYieldsNothing(t *testing.T) {
	var p tts.Provider = tts.NewSilent()
	for pcm, err := range p.Synthesize(t.Context(), "Hello.", tts.Voice{ID: "any"}) {
		t.Errorf("yielded %d samples, %v; want nothing", len(pcm.Samples), err)
	}
	if got := p.Name(); got != "silent" {
		t.Errorf("Name = %q, want %q", got, "silent")
	}
}
