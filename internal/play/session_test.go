package play

import (
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestExpected(t *testing.T) {
	npcs := []config.NPC{{Name: "Bartok the Barkeep", Aliases: []string{"Bart"}}, {Name: "Mira"}}
	german := config.ProviderOptions{"language": "de"}
	rows := []struct {
		name      string
		languages []string
		options   config.ProviderOptions
		want      string
	}{
		{"one", []string{"de"}, nil, "de"},
		{"several", []string{"en", "de"}, nil, ""},
		{"chosen", []string{"en", "fr"}, german, "de"},
		{"none", nil, nil, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			cfg := &config.Config{Language: row.languages}
			cfg.Providers.STT.Options = row.options
			o := ExpectedSpeech(cfg, npcs, nil)
			if o.Language != row.want {
				t.Errorf("language = %q, want %q", o.Language, row.want)
			}
			if want := []string{"Bartok the Barkeep", "Bart", "Mira"}; !slices.Equal(o.Keyterms, want) {
				t.Errorf("keyterms = %q, want %q", o.Keyterms, want)
			}
		})
	}
}

func TestEngineOptions(t *testing.T) {
	p := config.Provider{Options: config.ProviderOptions{"temperature": 0.5, "max_tokens": int64(90)}}
	if o := engineOptions(config.ProviderChain{Provider: p}); o.Temperature == nil || *o.Temperature != 0.5 || o.MaxTokens != 90 {
		t.Errorf("alone: %+v, want 0.5 and 90", o)
	}
	if o := engineOptions(config.ProviderChain{Provider: p, Fallback: []config.Provider{p}}); o.Temperature != nil || o.MaxTokens != 0 {
		t.Errorf("with a fallback: %+v, want nothing: each model has its own", o)
	}
}

func TestLanguageOf(t *testing.T) {
	for _, row := range []struct {
		name, voice string
		spoken      []string
		want        string
	}{
		{"of_the_voice", "de", []string{"en", "de"}, "de"},
		{"of_another_region", "en-GB", []string{"de", "en-US"}, "en-US"},
		{"not_at_this_table", "en", []string{"de"}, "de"},
		{"of_no_voice", "", []string{"de", "en"}, "de"},
		{"of_no_table", "de", nil, ""},
	} {
		npc := config.NPC{}
		npc.Voice.Language = row.voice
		if got := LanguageOf(npc, row.spoken); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
