// Package tts defines speech synthesis: text and a voice in, PCM out. One sub-package per vendor protocol
// implements [Provider]. A [Chain] makes providers take over from each other, and a [PhraseCache] keeps
// phrases that are said often.
//
//	for pcm, err := range provider.Synthesize(ctx, "Welcome!", tts.Voice{Language: "en"}) { … }
package tts

import (
	"context"
	"errors"
	"iter"
	"strings"
	"unicode"
)

// Errors that providers wrap so that callers can tell how to react.
var (
	// ErrVoice means that the provider cannot use the voice. Another provider or another voice may work.
	ErrVoice = errors.New("voice is not usable")
	// ErrRateLimited means that the vendor asked to slow down (HTTP 429).
	ErrRateLimited = errors.New("speech is rate limited")
	// ErrUnavailable means that the vendor could not be reached or failed (HTTP 5xx, connection refused,
	// audio cut off).
	ErrUnavailable = errors.New("speech is unavailable")
	// ErrRejected means that the vendor refused the request itself (bad key, unknown model or voice,
	// exhausted quota) or answered in a format that was not requested.
	ErrRejected = errors.New("speech was refused")
)

// Voice selects and adjusts a voice. The zero value is the provider's default.
type Voice struct {
	// ID is the vendor's voice ID ("alloy", "en-us+m3").
	ID string `yaml:"id,omitempty" json:"id,omitempty" doc:"The provider's name for the voice, such as alloy (openai) or en-us+m3 (espeak)."`
	// IDs are the voice's IDs by provider, for providers other than the one ID is meant for. Providers ignore
	// it, see [Voice.For].
	IDs map[string]string `yaml:"ids,omitempty" json:"ids,omitempty" keys:"espeak|openai|elevenlabs|gemini|gpt_live" doc:"Names for the voice by provider, where id is meant for another one."`
	// Language is a BCP 47 tag such as "en" or "de"; empty leaves it to the provider.
	Language string `yaml:"language,omitempty" json:"language,omitempty" format:"language" doc:"Language the voice speaks, such as en or de."`
	// Pitch is a factor, 1 is normal; 0 means 1. Range 0.5 to 2.
	Pitch float64 `yaml:"pitch,omitempty" json:"pitch,omitempty" min:"0.5" max:"2" doc:"How high the voice is: 1 is normal, 0.5 low, 2 high."`
	// Speed is a factor, 1 is normal; 0 means 1. Range 0.5 to 2.
	Speed float64 `yaml:"speed,omitempty" json:"speed,omitempty" min:"0.5" max:"2" doc:"How fast the voice speaks: 1 is normal."`
	// Instructions describe the manner of speech, for vendors that support this.
	Instructions string `yaml:"instructions,omitempty" json:"instructions,omitempty" doc:"Manner of speech, for providers that take such directions."`
}

// For returns the voice for the named provider. Its ID is the provider's entry in IDs, or else ID if meant is
// set, or else empty, which leaves the choice to the provider.
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

// Speakable reports whether text contains a letter, digit or symbol.
func Speakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) })
}

// PCM is a piece of mono signed 16-bit audio.
type PCM struct {
	// Samples may be shared. Copy them before changing them.
	Samples []int16
	// Rate is in samples per second. All pieces of one synthesis share it.
	Rate int
	// By is the name of the provider that made the piece, if it comes from a chain.
	By string
}

// Provider turns a sentence into sound. Implementations are safe for
// concurrent use.
type Provider interface {
	// Synthesize speaks text. It yields pieces as they are made; a non-nil error ends the sequence. Breaking
	// out of the loop or cancelling ctx stops the work and releases its resources before the sequence
	// returns. A provider without audio yields nothing.
	Synthesize(ctx context.Context, text string, voice Voice) iter.Seq2[PCM, error]
	// Name identifies the provider in logs and notices.
	Name() string
}
