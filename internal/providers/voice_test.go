package providers

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// TestWhoIsGivenClauses checks which voices accept clauses through all their wrappers.
func TestWhoIsGivenClauses(t *testing.T) {
	eleven, openai := config.Provider{Name: ElevenLabs, APIKey: "k"}, config.Provider{Name: OpenAI, APIKey: "k"}
	for _, tt := range []struct {
		name  string
		chain config.ProviderChain
		want  bool
	}{
		{"elevenlabs", config.ProviderChain{Provider: eleven}, true},
		{"openai", config.ProviderChain{Provider: openai}, false},
		{"the_first_decides", config.ProviderChain{Provider: eleven, Fallback: []config.Provider{openai}}, true},
		{"the_first_decides_against_it", config.ProviderChain{Provider: openai, Fallback: []config.Provider{eleven}}, false},
		{"silent", config.ProviderChain{Provider: config.Provider{Name: Silent}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _, err := Voice(nil, tt.chain, tts.NewPhraseCache(nil, nil), asItIs, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := tts.SpeaksClauses(p); got != tt.want {
				t.Errorf("%s takes clauses: %v, want %v", p.Name(), got, tt.want)
			}
		})
	}
}

func asItIs(text string, _ tts.Voice, _ speech.Profile) string { return text }

func TestVoiceLinks(t *testing.T) {
	lost := config.Provider{Name: Espeak, Options: config.ProviderOptions{"path": "/nowhere/espeak-ng"}}
	service := config.Provider{Name: ElevenLabs, APIKey: "k"}
	chained := func(first config.Provider, rest ...config.Provider) config.ProviderChain {
		return config.ProviderChain{Provider: first, Fallback: rest}
	}
	for _, tt := range []struct {
		name    string
		chain   config.ProviderChain
		want    string
		missing int
		fails   bool
	}{
		{"silent", chained(config.Provider{Name: Silent}), "silent", 0, false},
		{"service", chained(service), "elevenlabs eleven_flash_v2_5", 0, false},
		{"two_services", chained(service, config.Provider{Name: OpenAI, Model: "m"}), "elevenlabs eleven_flash_v2_5, then openai m", 0, false},
		{"fallback_not_installed", chained(service, lost), "elevenlabs eleven_flash_v2_5", 1, false},
		{"first_not_installed", chained(lost, service), "", 0, true},
		{"auto_not_installed", chained(config.Provider{Name: config.ProviderAuto, Options: lost.Options}), "silent", 1, false},
		{"auto_not_installed_but_a_service", chained(config.Provider{Name: config.ProviderAuto, Options: lost.Options}, service), "elevenlabs eleven_flash_v2_5", 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, missing, err := Voice(nil, tt.chain, nil, nil, nil)
			if tt.fails != (err != nil) {
				t.Fatalf("err = %v, want one: %t", err, tt.fails)
			}
			if err == nil && (p.Name() != tt.want || len(missing) != tt.missing) {
				t.Errorf("voices are %q, missing %q; want %q and %d", p.Name(), missing, tt.want, tt.missing)
			}
		})
	}
}

func TestProfileOf(t *testing.T) {
	for _, tt := range []struct {
		p    config.Provider
		want speech.Profile
	}{
		{config.Provider{Name: OpenAI}, speech.Game},
		{config.Provider{Name: OpenAI, Model: "gpt-4o-mini-tts-2025-12-15"}, speech.Game},
		{config.Provider{Name: OpenAI, Model: "tts-1"}, speech.Full},
		{config.Provider{Name: OpenAI, BaseURL: "http://localhost:8880/v1"}, speech.Full},
		{config.Provider{Name: ElevenLabs}, speech.Full},
		{config.Provider{Name: ElevenLabs, Model: "eleven_turbo_v2_5"}, speech.Full},
		{config.Provider{Name: ElevenLabs, Model: "eleven_multilingual_v2"}, speech.Game},
		{config.Provider{Name: ElevenLabs, Model: "eleven_v3"}, speech.Game},
		{config.Provider{Name: Espeak}, speech.Full},
	} {
		if got := profileOf(tt.p); got != tt.want {
			t.Errorf("profileOf(%s %s %s) = %d, want %d", tt.p.Name, tt.p.Model, tt.p.BaseURL, got, tt.want)
		}
	}
}
