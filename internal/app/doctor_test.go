package app

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// TestOpusFinding: with libopus the doctor names it and the cost of a frame. Without libopus
// the doctor says what to install, but reports no problem, because NPCs can be played without
// it.
func TestOpusFinding(t *testing.T) {
	f := opusFinding()
	if !f.ok {
		t.Fatalf("finding = %+v, want it ok", f)
	}
	if lib, err := opus.Load(); err != nil {
		if !strings.Contains(f.fix, "install") {
			t.Errorf("fix = %q, want what to install", f.fix)
		}
	} else if !strings.HasPrefix(f.state, lib.Version()) || !strings.Contains(f.state, "encodes a frame in ") {
		t.Errorf("state = %q, want %s and the cost of a frame", f.state, lib.Version())
	}
}
