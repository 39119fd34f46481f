package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/deepgram"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/elevenlabs"
	openaistt "github.com/MrWong99/glyphoxa/pkg/provider/stt/openai"
)

// deepGram is what the configuration calls that provider.
const deepGram = "deepgram"

// errDeaf means that no speech recognition is configured.
var errDeaf = errors.New("there is no speech recognition; set providers.stt, or OPENAI_API_KEY")

// hearing returns the speech recognition, or errDeaf. Tell is told of every
// change of provider, from any goroutine; it may be nil.
func hearing(c config.ProviderChain, tell func(chain.Switch)) (stt.Provider, error) {
	var links []chain.Link
	for _, p := range append([]config.Provider{c.Provider}, c.Fallback...) {
		if p.Name == config.ProviderAuto {
			if !hosted(p) {
				continue
			}
			p.Name = openAI
		}
		provider, err := recognition(p)
		if err != nil {
			return nil, fmt.Errorf("providers.stt: %w", err)
		}
		if provider != nil {
			links = append(links, chain.Link{Name: p.Name, Provider: provider})
		}
	}
	if len(links) == 0 || c.Name == "none" {
		return nil, errDeaf
	}
	return chain.New(links, &chain.Options{OnSwitch: tell}), nil
}

// changeOfEars puts a switch into words.
func changeOfEars(s chain.Switch) string {
	if s.Reason == nil {
		return s.To + " hears again"
	}
	return fmt.Sprintf("%s hears now: %v", s.To, s.Reason)
}

// recognition returns the provider p names, nil for none.
func recognition(p config.Provider) (stt.Provider, error) {
	switch p.Name {
	case openAI:
		return openaistt.New(p.APIKey.Reveal(), &openaistt.Options{BaseURL: p.BaseURL, Model: p.Model}), nil
	case deepGram:
		return deepgram.New(p.APIKey.Reveal(), &deepgram.Options{BaseURL: p.BaseURL, Model: p.Model})
	case elevenLabs:
		return elevenlabs.New(p.APIKey.Reveal(), &elevenlabs.Options{BaseURL: p.BaseURL, Model: p.Model})
	}
	return nil, nil
}

// expected returns what is known of the speech at the table: its language, if
// there is only one, and the names that will come up.
func expected(cfg *config.Config) (stt.Options, error) {
	o := stt.Options{Language: option[string](cfg.Providers.STT.Provider, "language")}
	if o.Language == "" && len(cfg.Language) == 1 {
		o.Language = cfg.Language[0]
	}
	for _, npc := range cfg.NPCs {
		o.Keyterms = append(append(o.Keyterms, npc.Name), npc.Aliases...)
	}
	world, err := readWorld(cfg)
	if err != nil {
		return o, err
	}
	if world != nil {
		for _, e := range world.Entities {
			o.Keyterms = append(o.Keyterms, e.Name)
		}
	}
	return o, nil
}

// hearingFinding is what the doctor says of the speech recognition.
func hearingFinding(cfg *config.Config) finding {
	p, err := hearing(cfg.Providers.STT, nil)
	switch {
	case errors.Is(err, errDeaf):
		return finding{"hearing", true, "no speech recognition; players type", "set providers.stt in glyphoxa.yaml, or OPENAI_API_KEY"}
	case err != nil:
		return finding{"hearing", false, strings.TrimPrefix(err.Error(), "providers.stt: "), "correct providers.stt.base_url"}
	}
	return finding{part: "hearing", ok: true, state: p.Name(), fix: "try it: glyphoxa transcribe FILE.wav"}
}
