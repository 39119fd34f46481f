package providers_test

import (
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
)

func TestKnownVoices(t *testing.T) {
	for _, row := range []struct {
		p    config.Provider
		want string
		n    int
	}{
		{config.Provider{Name: "espeak"}, "de+f2", 26},
		{config.Provider{Name: "openai"}, "alloy", 11},
		{config.Provider{Name: "openai", BaseURL: "http://127.0.0.1:1"}, "", 0},
		{config.Provider{Name: "elevenlabs"}, "", 0},
		{config.Provider{Name: "silent"}, "", 0},
	} {
		got := providers.KnownVoices(row.p, []string{"de", "en"})
		if len(got) != row.n || row.want != "" && !slices.Contains(got, row.want) {
			t.Errorf("%+v has %q, want %d with %q", row.p, got, row.n, row.want)
		}
	}
}
