package providers

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/elevenlabs"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
	openaitts "github.com/MrWong99/glyphoxa/pkg/provider/tts/openai"
)

// newSynthesis returns the provider that p names, with client's connections if client is
// not nil. The error means that the provider cannot work on this machine.
func newSynthesis(client *http.Client, p config.Provider) (tts.Provider, error) {
	switch p.Name {
	case OpenAI:
		return cost.MeteredVoice(openaitts.New(p.APIKey.Reveal(), &openaitts.Options{
			BaseURL: p.BaseURL, Model: p.Model, Voice: Option[string](p, "voice"), Instructions: Option[string](p, "instructions"),
			HTTPClient: client,
		})), nil
	case ElevenLabs:
		return cost.MeteredVoice(elevenlabs.New(p.APIKey.Reveal(), &elevenlabs.Options{
			BaseURL: p.BaseURL, Model: p.Model, Voice: Option[string](p, "voice"),
			Stability: fractionOption(p, "stability"), Similarity: fractionOption(p, "similarity"), Style: fractionOption(p, "style"),
			HTTPClient: client,
		})), nil
	}
	local := espeak.New(&espeak.Options{Path: Option[string](p, "path")})
	return local, local.Available()
}

// voiceLinks returns the providers of speech in order, the profile of each, and why
// providers that are not installed are missing. The first one must work if it is
// configured by name.
func voiceLinks(client *http.Client, c config.ProviderChain) (links []tts.Link, profiles []speech.Profile, missing []string, err error) {
	for i, p := range append([]config.Provider{c.Provider}, c.Fallback...) {
		asked := p.Name
		switch p.Name {
		case Silent:
			continue
		case config.ProviderAuto:
			p.Name = Espeak
		}
		provider, err := newSynthesis(client, p)
		switch {
		case err == nil:
			links, profiles = append(links, tts.Link{Name: p.Name, Provider: provider}), append(profiles, profileOf(p))
		case i == 0 && asked != config.ProviderAuto:
			return nil, nil, nil, fmt.Errorf("providers.tts: %w", err)
		default:
			missing = append(missing, err.Error())
		}
	}
	return links, profiles, missing, nil
}

// profileOf returns how text is prepared for a provider. OpenAI's speaking language model
// normalises text itself, and so do ElevenLabs' models, except those whose normalisation the
// vendor turns off for the sake of speed. A server under base_url may run any model, so it
// gets everything in words.
func profileOf(p config.Provider) speech.Profile {
	var normalises bool
	switch p.Name {
	case OpenAI:
		normalises = p.BaseURL == "" && (p.Model == "" || strings.HasPrefix(p.Model, "gpt-4o-mini-tts"))
	case ElevenLabs:
		normalises = p.Model != "" && !strings.Contains(p.Model, "flash") && !strings.Contains(p.Model, "turbo")
	}
	if normalises {
		return speech.Game
	}
	return speech.Full
}

// Prepare returns the text for an engine with a profile, given the text that a voice should
// say.
type Prepare func(text string, v tts.Voice, engine speech.Profile) string

// Prepared returns p with its texts passed through prepare.
func Prepared(p tts.Provider, engine speech.Profile, prepare Prepare) tts.Provider {
	return prepared{p, engine, prepare}
}

type prepared struct {
	tts.Provider
	engine  speech.Profile
	prepare Prepare
}

func (p prepared) Synthesize(ctx context.Context, text string, v tts.Voice) iter.Seq2[tts.PCM, error] {
	return p.Provider.Synthesize(ctx, p.prepare(text, v, p.engine), v)
}

// SpeaksClauses implements [tts.Clauser].
func (p prepared) SpeaksClauses() bool { return tts.SpeaksClauses(p.Provider) }

// Warm opens the provider's connections, if it can.
func (p prepared) Warm(ctx context.Context) error {
	if w, ok := p.Provider.(Warmer); ok {
		return w.Warm(ctx)
	}
	return nil
}

// Voice returns the speech synthesis, and the message to show if a part of it is missing
// although silence was not configured. The cache keeps frequent sentences, tell receives
// every change of provider, and prepare prepares texts for the provider that speaks them.
// All three may be nil; client may be nil, too, and otherwise makes the connections.
func Voice(client *http.Client, c config.ProviderChain, cache *tts.PhraseCache, prepare Prepare, tell func(tts.Switch)) (tts.Provider, []string, error) {
	links, profiles, missing, err := voiceLinks(client, c)
	if err != nil || c.Name == Silent || len(links) == 0 {
		return tts.NewSilent(), missing, err
	}
	for i := range links {
		if cache != nil {
			links[i].Provider = cache.Wrap(links[i].Name, links[i].Provider)
		}
		if prepare != nil {
			links[i].Provider = Prepared(links[i].Provider, profiles[i], prepare)
		}
	}
	return tts.NewChain(links, &tts.ChainOptions{OnSwitch: tell}), missing, nil
}
