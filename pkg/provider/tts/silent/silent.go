// Package silent is the speech provider that makes no sound: the NPC's words
// appear as text alone.
//
// It stands in where no voice is installed, does nothing and cannot fail.
package silent

import (
	"context"
	"iter"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Provider implements [tts.Provider]. The zero value is ready.
type Provider struct{}

var _ tts.Provider = Provider{}

// New returns the silent provider.
func New() Provider { return Provider{} }

// Synthesize yields nothing.
func (Provider) Synthesize(context.Context, string, tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(func(tts.PCM, error) bool) {}
}

// Name returns "silent".
func (Provider) Name() string { return "silent" }
