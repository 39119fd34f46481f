package providers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/gemini"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/gptlive"
	openais2s "github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

// The configuration's names of those providers.
const (
	Gemini  = "gemini"
	GPTLive = "gpt_live"
)

// ErrNoSpeechToSpeech means that no speech-to-speech model is configured.
var ErrNoSpeechToSpeech = errors.New("there is no speech-to-speech model; set providers.s2s, or OPENAI_API_KEY")

// SpeechToSpeech returns the speech-to-speech model and the provider's name in voice
// settings, or ErrNoSpeechToSpeech. Connections are client's if the protocol allows it;
// client may be nil.
func SpeechToSpeech(client *http.Client, c config.Providers) (model s2s.Provider, name string, err error) {
	const setting = "providers.s2s"
	if !c.SpeaksForItself() {
		return nil, "", ErrNoSpeechToSpeech
	}
	p, key := c.S2S, c.S2S.APIKey.Reveal()
	switch p.Name {
	case Gemini:
		model, err = gemini.New(key, &gemini.Options{BaseURL: p.BaseURL, Model: p.Model, Setting: setting})
	case GPTLive:
		model = gptlive.New(key, &gptlive.Options{BaseURL: p.BaseURL, Model: p.Model, HTTPClient: client})
	default:
		p.Name = OpenAI
		rate, _ := numberOption(p, "input_rate")
		model, err = openais2s.New(key, &openais2s.Options{
			BaseURL: p.BaseURL, Model: p.Model, Dialect: openais2s.Dialect(Option[string](p, "dialect")), InputRate: int(rate),
			Setting: setting, HTTPClient: client,
		})
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", setting, err)
	}
	return model, p.Name, nil
}
