package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
)

func TestDoctorAsksEveryVoiceService(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		ok     bool
	}{{"fine", 200, true}, {"key_refused", 401, false}, {"down", 503, false}} {
		t.Run(tt.name, func(t *testing.T) {
			var header string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				header = r.Header.Get("xi-api-key")
				w.WriteHeader(tt.status)
			}))
			defer server.Close()
			cfg := config.Default()
			cfg.Providers.TTS.Fallback = []config.Provider{{Name: providers.ElevenLabs, APIKey: "secret-key", BaseURL: server.URL}}
			got := endpointFindings(t.Context(), cfg)
			if len(got) != 1 || got[0].ok != tt.ok || got[0].part != "endpoint of tts.fallback[0]" || strings.Contains(got[0].state+got[0].fix, "secret-key") {
				t.Errorf("findings = %+v, want one, ok %t", got, tt.ok)
			}
			if header != "secret-key" {
				t.Errorf("the key was sent as %q", header)
			}
		})
	}
}
