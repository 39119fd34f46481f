// Package tts defines speech synthesis: text and a voice in, PCM out. One
// sub-package per vendor protocol implements [Provider].
package tts

import (
	"context"
	"iter"
)

// Voice selects and colours a voice. The zero value is the provider's default.
type Voice struct {
	// ID is the vendor's voice id ("alloy", "en-us+m3").
	ID string `yaml:"id,omitempty" json:"id,omitempty"`
	// Language is a BCP 47 tag such as "en" or "de"; empty leaves it to the provider.
	Language string `yaml:"language,omitempty" json:"language,omitempty"`
	// Pitch is a factor, 1 is normal; 0 means 1. Range 0.5 to 2.
	Pitch float64 `yaml:"pitch,omitempty" json:"pitch,omitempty"`
	// Speed is a factor, 1 is normal; 0 means 1. Range 0.5 to 2.
	Speed float64 `yaml:"speed,omitempty" json:"speed,omitempty"`
	// Instructions describe manner of speech to vendors that take them.
	Instructions string `yaml:"instructions,omitempty" json:"instructions,omitempty"`
}

// PCM is a piece of mono signed 16-bit sound.
type PCM struct {
	Samples []int16
	// Rate is in samples per second. All pieces of one synthesis share it.
	Rate int
}

// Provider turns a sentence into sound. Implementations are safe for
// concurrent use.
type Provider interface {
	// Synthesize speaks text. Pieces arrive as they are made; a non-nil error
	// ends the sequence. Breaking out of the loop or cancelling ctx ends the
	// work and releases what it holds before the sequence returns. A provider
	// that makes no sound yields nothing.
	Synthesize(ctx context.Context, text string, voice Voice) iter.Seq2[PCM, error]
	// Name identifies the provider in logs and notices.
	Name() string
}
