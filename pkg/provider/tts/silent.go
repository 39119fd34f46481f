package tts

// Silent is the speech provider without audio: the NPC's words appear only as text. It is used where no voice
// is installed, and cannot fail.

import (
	"context"
	"iter"
)

// Silent implements [Provider]. The zero value is ready to use.
type Silent struct{}

var _ Provider = Silent{}

// NewSilent returns the silent provider.
func NewSilent() Silent { return Silent{} }

// Synthesize yields nothing.
func (Silent) Synthesize(context.Context, string, Voice) iter.Seq2[PCM, error] {
	return func(func(PCM, error) bool) {}
}

// Name returns "silent".
func (Silent) Name() string { return "silent" }
