package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestHearing(t *testing.T) {
	local := config.Provider{Name: openAI, BaseURL: "http://127.0.0.1:1/v1", Model: "whisper"}
	deep := config.Provider{Name: deepGram, APIKey: "k"}
	chained := func(first config.Provider, others ...config.Provider) config.ProviderChain {
		return config.ProviderChain{Provider: first, Fallback: others}
	}
	auto := config.Provider{Name: config.ProviderAuto}
	rows := []struct {
		name string
		in   config.ProviderChain
		want string // empty: errDeaf
	}{
		{"auto_without_a_key", chained(auto), ""},
		{"auto_with_a_key", chained(config.Provider{Name: config.ProviderAuto, APIKey: "k"}), "openai gpt-4o-mini-transcribe"},
		{"auto_with_an_address", chained(config.Provider{Name: config.ProviderAuto, BaseURL: local.BaseURL, Model: "whisper"}), "openai whisper"},
		{"auto_leaves_the_fallback", chained(auto, deep), "deepgram nova-3"},
		{"none", chained(config.Provider{Name: "none"}), ""},
		{"none_has_no_fallback", chained(config.Provider{Name: "none"}, deep), ""},
		{"two", chained(deep, local), "deepgram nova-3, then openai whisper"},
		{"elevenlabs", chained(config.Provider{Name: elevenLabs, APIKey: "k"}), "elevenlabs scribe_v2_realtime"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p, err := hearing(row.in, nil)
			if row.want == "" {
				if !errors.Is(err, errDeaf) {
					t.Errorf("err = %v, want errDeaf", err)
				}
				return
			}
			if err != nil || p.Name() != row.want {
				t.Fatalf("hearing = %v, %v, want %s", p, err, row.want)
			}
			cfg := &config.Config{Providers: config.Providers{STT: row.in}}
			if f := hearingFinding(cfg); !f.ok || f.state != row.want {
				t.Errorf("the doctor says %+v, want %s", f, row.want)
			}
		})
	}
}

func TestHearingRefusesAnAddress(t *testing.T) {
	c := config.ProviderChain{Provider: config.Provider{Name: deepGram, BaseURL: "ftp://user:secret@host"}}
	f := hearingFinding(&config.Config{Providers: config.Providers{STT: c}})
	if f.ok || f.fix == "" || strings.Contains(f.state, "secret") {
		t.Errorf("the doctor says %+v, want a problem without the address", f)
	}
}

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
			cfg := &config.Config{Language: row.languages, NPCs: npcs}
			cfg.Providers.STT.Options = row.options
			o, err := expected(cfg)
			if err != nil || o.Language != row.want {
				t.Errorf("language = %q, %v, want %q", o.Language, err, row.want)
			}
			if want := []string{"Bartok the Barkeep", "Bart", "Mira"}; !slices.Equal(o.Keyterms, want) {
				t.Errorf("keyterms = %q, want %q", o.Keyterms, want)
			}
		})
	}
}

// TestPieces cuts long recordings where it is quiet.
func TestPieces(t *testing.T) {
	const rate = 8000
	loud := func(seconds int) []int16 {
		s := make([]int16, seconds*rate)
		for i := range s {
			s[i] = int16(1000 - 2000*(i%2))
		}
		return s
	}
	long := loud(60)
	quiet := 23 * rate
	clear(long[quiet : quiet+rate/2])
	rows := []struct {
		name     string
		in       []int16
		from, to int
	}{
		{"short", loud(3), 3 * rate, 3 * rate},
		{"just_fits", loud(25), 25 * rate, 25 * rate},
		{"quiet_moment", long, quiet, quiet + rate/2},
		{"never_quiet", loud(60), 20 * rate, 25 * rate},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := pieceOf(row.in, rate); got < row.from || got > row.to {
				t.Errorf("cut after %d samples, want %d to %d", got, row.from, row.to)
			}
		})
	}
}
