// Package tts defines speech synthesis: text and a voice in, PCM out. One
// sub-package per vendor protocol implements [Provider]; chain lets providers
// take over from each other and phrases keeps what is said often.
package tts

import (
	"context"
	"errors"
	"iter"
	"strings"
	"unicode"
)

// Errors a provider wraps so that callers can tell what would help.
var (
	// ErrVoice means that a provider cannot speak with the voice it was given,
	// while another might, or the same with another voice.
	ErrVoice = errors.New("voice is not usable")
	// ErrRateLimited means the vendor asked to slow down (HTTP 429).
	ErrRateLimited = errors.New("speech is rate limited")
	// ErrUnavailable means the vendor could not be reached or failed (HTTP
	// 5xx, connection refused, sound cut off).
	ErrUnavailable = errors.New("speech is unavailable")
	// ErrRejected means the request itself is refused (bad key, unknown model
	// or voice, spent quota) or answered in a format nobody asked for.
	ErrRejected = errors.New("speech was refused")
)

// Voice selects and colours a voice. The zero value is the provider's default.
type Voice struct {
	// ID is the vendor's voice id ("alloy", "en-us+m3").
	ID string `yaml:"id,omitempty" json:"id,omitempty" doc:"The provider's name for the voice, such as alloy (openai) or en-us+m3 (espeak)."`
	// IDs are the voice's ids by provider, for those that ID is not meant for.
	// Providers do not look at it: see [Voice.For].
	IDs map[string]string `yaml:"ids,omitempty" json:"ids,omitempty" keys:"espeak|openai|elevenlabs|gemini|gpt_live" doc:"Names for the voice by provider, where id is meant for another one."`
	// Language is a BCP 47 tag such as "en" or "de"; empty leaves it to the provider.
	Language string `yaml:"language,omitempty" json:"language,omitempty" format:"language" doc:"Language the voice speaks, such as en or de."`
	// Pitch is a factor, 1 is normal; 0 means 1. Range 0.5 to 2.
	Pitch float64 `yaml:"pitch,omitempty" json:"pitch,omitempty" min:"0.5" max:"2" doc:"How high the voice is: 1 is normal, 0.5 low, 2 high."`
	// Speed is a factor, 1 is normal; 0 means 1. Range 0.5 to 2.
	Speed float64 `yaml:"speed,omitempty" json:"speed,omitempty" min:"0.5" max:"2" doc:"How fast the voice speaks: 1 is normal."`
	// Instructions describe manner of speech to vendors that take them.
	Instructions string `yaml:"instructions,omitempty" json:"instructions,omitempty" doc:"Manner of speech, for providers that take such directions."`
}

// For returns the voice as the named provider takes it: with the id IDs holds
// for it, else with ID if the provider is the one ID is meant for, else without
// an id, which leaves the choice to the provider.
func (v Voice) For(provider string, meant bool) Voice {
	id, ok := v.IDs[provider]
	switch {
	case ok:
		v.ID = id
	case !meant:
		v.ID = ""
	}
	v.IDs = nil
	return v
}

// Speakable reports whether text holds a letter, digit or symbol to be spoken.
func Speakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) })
}

// PCM is a piece of mono signed 16-bit sound.
type PCM struct {
	// Samples may be shared; whoever wants to change them copies them.
	Samples []int16
	// Rate is in samples per second. All pieces of one synthesis share it.
	Rate int
	// By names the provider that made it, where several take over from each other.
	By string
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
