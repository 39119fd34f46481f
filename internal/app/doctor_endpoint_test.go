package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
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

// TestUnreachableEndpoint checks that the hint suggests correcting base_url only where the
// configuration sets it.
func TestUnreachableEndpoint(t *testing.T) {
	offline, cancel := context.WithCancel(t.Context())
	cancel()
	for base, want := range map[string]string{
		openaillm.DefaultBaseURL:    "check that this machine is online and reaches api.openai.com",
		"http://localhost:11434/v1": "start the service, or correct providers.llm.base_url",
	} {
		f, _ := examineEndpoint(offline, endpoint{name: "llm", base: base, setting: "providers.llm"})
		if f.ok || f.fix != want || !strings.Contains(f.state, "cannot be reached") {
			t.Errorf("%s: %+v, want fix %q", base, f, want)
		}
	}
}

func TestDoctorAsksTheModelsOfCascades(t *testing.T) {
	var asked int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	opener := config.ProviderChain{Provider: config.Provider{Name: providers.OpenAI, BaseURL: server.URL, APIKey: "k"}}
	cfg := config.Default()
	cfg.NPCs = []config.NPC{
		{Name: "Mira", Engine: config.EngineSentenceCascade, Cascade: config.Cascade{Opener: opener}},
		{Name: "Bartok", Engine: config.EngineCascaded, Cascade: config.Cascade{Continuation: opener}}, // its cascade has no opener model
	}
	got := endpointFindings(t.Context(), cfg)
	if len(got) != 1 || got[0].ok || got[0].part != "endpoint of cascade.opener" || got[0].fix != "check cascade.opener.api_key" || asked != 1 {
		t.Errorf("findings = %+v after %d requests, want one of the opener", got, asked)
	}
}

func TestDoctorMissesTheModel(t *testing.T) {
	tests := []struct {
		name, model, list string
		want              string // part of the fix; empty if the model is fine
	}{
		{"listed", "harbour-2", `{"data":[{"id":"harbour-2"}]}`, ""},
		{"listed with a tag", "harbour", `{"data":[{"id":"harbour:latest"}]}`, ""},
		{"listed without the variant", "sea/harbour:free", `{"data":[{"id":"sea/harbour"}]}`, ""},
		{"listed with a prefix", "harbour-2", `{"data":[{"id":"models/harbour-2"}]}`, ""},
		{"listed as a pattern", "sea/harbour", `{"data":[{"id":"sea/*"}]}`, ""},
		{"misspelt", "harbor-2", `{"data":[{"id":"harbour-2"},{"id":"pier"}]}`, `did you mean "harbour-2"?`},
		{"unknown", "gpt", `{"data":[{"id":"harbour-2"},{"id":"pier"}]}`, "it lists harbour-2, pier"},
		{"no list", "gpt", `not found`, ""},
		{"an empty list", "gpt", `{"data":[]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				_, _ = w.Write([]byte(tt.list))
			}))
			defer server.Close()
			cfg := config.Default()
			p := config.Provider{Name: providers.OpenAI, BaseURL: server.URL, Model: tt.model}
			cfg.Providers.LLM = config.ProviderChain{Provider: p, Fallback: []config.Provider{p}}
			got := endpointFindings(t.Context(), cfg)
			if tt.want == "" {
				if len(got) != 1 || !got[0].ok {
					t.Errorf("findings = %+v, want that the service is fine", got)
				}
			} else if len(got) != 2 || got[1].ok || got[1].part != "model of llm" || !strings.Contains(got[1].fix, tt.want) || !strings.HasPrefix(got[1].fix, "check providers.llm.model") {
				t.Errorf("findings = %+v, want one about the model with %q", got, tt.want)
			}
			if asked != 1 {
				t.Errorf("%d requests, want 1", asked)
			}
		})
	}
}
