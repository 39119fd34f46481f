package providers

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost/metered"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/elevenlabs"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
	openaitts "github.com/MrWong99/glyphoxa/pkg/provider/tts/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/phrases"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/silent"
)

// newSynthesis returns the provider p names, on client's connections if it is not
// nil. The error says that it cannot work on this machine.
func newSynthesis(client *http.Client, p config.Provider) (tts.Provider, error) {
	switch p.Name {
	case OpenAI:
		return metered.Voice(openaitts.New(p.APIKey.Reveal(), &openaitts.Options{
			BaseURL: p.BaseURL, Model: p.Model, Voice: Option[string](p, "voice"), Instructions: Option[string](p, "instructions"),
			HTTPClient: client,
		})), nil
	case ElevenLabs:
		return metered.Voice(elevenlabs.New(p.APIKey.Reveal(), &elevenlabs.Options{
			BaseURL: p.BaseURL, Model: p.Model, Voice: Option[string](p, "voice"),
			Stability: fractionOption(p, "stability"), Similarity: fractionOption(p, "similarity"), Style: fractionOption(p, "style"),
			HTTPClient: client,
		})), nil
	}
	local := espeak.New(&espeak.Options{Path: Option[string](p, "path")})
	return local, local.Available()
}

// voiceLinks returns the providers of speech in order, which of them normalise what they
// are given by themselves, and what people should
// know about those that are missing although nothing can be done without them
// being installed. The first one has to work if it was asked for by name.
func voiceLinks(client *http.Client, c config.ProviderChain) (links []chain.Link, itself []bool, missing []string, err error) {
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
			links, itself = append(links, chain.Link{Name: p.Name, Provider: provider}), append(itself, normalises(p))
		case i == 0 && asked != config.ProviderAuto:
			return nil, nil, nil, fmt.Errorf("providers.tts: %w", err)
		default:
			missing = append(missing, err.Error())
		}
	}
	return links, itself, missing, nil
}

// normalises reports whether a provider puts numbers and abbreviations into words by
// itself: OpenAI's speaking language model, and those of ElevenLabs' models for which
// that is not turned off for the sake of speed.
func normalises(p config.Provider) bool {
	switch p.Name {
	case OpenAI:
		return p.BaseURL == "" && (p.Model == "" || strings.HasPrefix(p.Model, "gpt-4o-mini-tts"))
	case ElevenLabs:
		return p.Model != "" && !strings.Contains(p.Model, "flash") && !strings.Contains(p.Model, "turbo")
	}
	return false
}

// worded is a provider that is given what reword makes of a text.
type worded struct {
	tts.Provider
	reword func(text string, v tts.Voice) string
}

func (w worded) Synthesize(ctx context.Context, text string, v tts.Voice) iter.Seq2[tts.PCM, error] {
	return w.Provider.Synthesize(ctx, w.reword(text, v), v)
}

// Warm has the provider open its connections, if it can.
func (w worded) Warm(ctx context.Context) error {
	if p, ok := w.Provider.(Warmer); ok {
		return p.Warm(ctx)
	}
	return nil
}

// Voice returns the speech synthesis, and what to tell people if some
// of it is missing although they did not ask for silence. Phrases is asked to
// keep what is said often, and tell of every change of provider; both may be
// nil, as may client, which makes the connections. Reword, if not nil, puts a text into
// words for the providers that do not do so by themselves.
func Voice(client *http.Client, c config.ProviderChain, cache *phrases.Cache, reword func(string, tts.Voice) string, tell func(chain.Switch)) (tts.Provider, []string, error) {
	links, itself, missing, err := voiceLinks(client, c)
	if err != nil || c.Name == Silent || len(links) == 0 {
		return silent.New(), missing, err
	}
	for i := range links {
		if cache != nil {
			links[i].Provider = cache.Wrap(links[i].Name, links[i].Provider)
		}
		if reword != nil && !itself[i] {
			links[i].Provider = worded{links[i].Provider, reword}
		}
	}
	return chain.New(links, &chain.Options{OnSwitch: tell}), missing, nil
}
