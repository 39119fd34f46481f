package tts

// Silent is the speech provider that makes no sound: the NPC's words
// appear as text alone.
//
// It stands in where no voice is installed, does nothing and cannot fail.

import (
	"context"
	"iter"
)

// Silent implements [Provider]. The zero value is ready.
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
