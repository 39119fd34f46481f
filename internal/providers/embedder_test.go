package providers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestEmbedderOfOllama(t *testing.T) {
	asked := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		asked <- r.URL.Path + " " + req.Model + " " + r.Header.Get("Authorization")
		type embedding struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := []embedding{}
		for i := range req.Input {
			data = append(data, embedding{i, []float32{3, 4}})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": data, "model": req.Model}); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	e, err := Embedder(config.Provider{Name: Ollama, BaseURL: s.URL + "/v1", Model: "qwen3-embedding:0.6b"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Embed(t.Context(), []string{"The bell is silent."})
	if err != nil || len(got) != 1 || len(got[0]) != 2 || e.Dimensions() != 2 {
		t.Fatalf("Embed = %v, %v; want one vector of two components", got, err)
	}
	if got, want := <-asked, "/v1/embeddings qwen3-embedding:0.6b "; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestEmbedder(t *testing.T) {
	for _, row := range []struct {
		name string
		in   config.Provider
		want string
	}{
		{"auto_without_a_key", config.Provider{Name: config.ProviderAuto}, "sentencevectors-1"},
		{"auto_with_a_key", config.Provider{Name: config.ProviderAuto, APIKey: "k"}, "openai text-embedding-3-small/1536"},
		{"offline", config.Provider{Name: Offline}, "sentencevectors-1"},
		{"ollama_as_it_is", config.Provider{Name: Ollama}, "openai nomic-embed-text/768"},
		{"none", config.Provider{Name: "none"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			e, err := Embedder(row.in)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if e != nil {
				got = e.Name()
			}
			if got != row.want {
				t.Errorf("embedder %q, want %q", got, row.want)
			}
		})
	}
}
