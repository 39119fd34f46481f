package providers

import (
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/deepgram"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/elevenlabs"
	openaistt "github.com/MrWong99/glyphoxa/pkg/provider/stt/openai"
)

// DeepGram is the configuration's name of that provider.
const DeepGram = "deepgram"

// ErrNoRecognition means that no speech recognition is configured.
var ErrNoRecognition = errors.New("there is no speech recognition; set providers.stt, or OPENAI_API_KEY")

// Recognition returns the speech recognition, or ErrNoRecognition. o may be nil.
func Recognition(c config.ProviderChain, o *chain.Options) (stt.Recogniser, error) {
	var links []chain.Link
	for _, p := range append([]config.Provider{c.Provider}, c.Fallback...) {
		if p.Name == config.ProviderAuto {
			if !Hosted(p) {
				continue
			}
			p.Name = OpenAI
		}
		provider, err := newRecognition(p)
		if err != nil {
			return nil, fmt.Errorf("providers.stt: %w", err)
		}
		if provider != nil {
			links = append(links, chain.Link{Name: p.Name, Provider: cost.MeteredRecognition(provider)})
		}
	}
	if len(links) == 0 || c.Name == "none" {
		return nil, ErrNoRecognition
	}
	return chain.New(links, o), nil
}

// newRecognition returns the provider that p names, or nil for none.
func newRecognition(p config.Provider) (stt.Provider, error) {
	switch p.Name {
	case OpenAI:
		return openaistt.New(p.APIKey.Reveal(), &openaistt.Options{BaseURL: p.BaseURL, Model: p.Model}), nil
	case DeepGram:
		return deepgram.New(p.APIKey.Reveal(), &deepgram.Options{BaseURL: p.BaseURL, Model: p.Model})
	case ElevenLabs:
		return elevenlabs.New(p.APIKey.Reveal(), &elevenlabs.Options{BaseURL: p.BaseURL, Model: p.Model})
	}
	return nil, nil
}
