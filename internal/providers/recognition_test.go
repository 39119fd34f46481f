package providers

import (
	"errors"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestRecognition(t *testing.T) {
	local := config.Provider{Name: OpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "whisper"}
	deep := config.Provider{Name: DeepGram, APIKey: "k"}
	chained := func(first config.Provider, others ...config.Provider) config.ProviderChain {
		return config.ProviderChain{Provider: first, Fallback: others}
	}
	auto := config.Provider{Name: config.ProviderAuto}
	rows := []struct {
		name string
		in   config.ProviderChain
		want string // empty means ErrNoRecognition
	}{
		{"auto_without_a_key", chained(auto), ""},
		{"auto_with_a_key", chained(config.Provider{Name: config.ProviderAuto, APIKey: "k"}), "openai gpt-4o-mini-transcribe"},
		{"auto_with_an_address", chained(config.Provider{Name: config.ProviderAuto, BaseURL: local.BaseURL, Model: "whisper"}), "openai whisper"},
		{"auto_leaves_the_fallback", chained(auto, deep), "deepgram nova-3"},
		{"none", chained(config.Provider{Name: "none"}), ""},
		{"none_has_no_fallback", chained(config.Provider{Name: "none"}, deep), ""},
		{"two", chained(deep, local), "deepgram nova-3, then openai whisper"},
		{"elevenlabs", chained(config.Provider{Name: ElevenLabs, APIKey: "k"}), "elevenlabs scribe_v2_realtime"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p, err := Recognition(row.in, nil)
			if row.want == "" {
				if !errors.Is(err, ErrNoRecognition) {
					t.Errorf("err = %v, want ErrNoRecognition", err)
				}
				return
			}
			if err != nil || p.Name() != row.want {
				t.Fatalf("Recognition = %v, %v, want %s", p, err, row.want)
			}
		})
	}
}
