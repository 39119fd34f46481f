package elevenlabs_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts/elevenlabs"
)

const key = "sk_0123456789abcdef0123456789abcdef"

// service is the vendor's endpoint on the loopback interface: it refuses what the vendor
// refuses and answers with scripted sound.
type service struct {
	*httptest.Server
	answer http.HandlerFunc

	mu       sync.Mutex // guards the fields below
	requests []request
}

// request is a request that a provider sent.
type request struct {
	Voice    string
	Text     string             `json:"text"`
	Model    string             `json:"model_id"`
	Language string             `json:"language_code"`
	Settings map[string]float64 `json:"voice_settings"`
}

var route = regexp.MustCompile(`^/v1/text-to-speech/([A-Za-z0-9_-]+)/stream$`)

func serve(t *testing.T, answer http.HandlerFunc) *service {
	t.Helper()
	s := &service{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(s.handle))
	t.Cleanup(s.Close)
	return s
}

func (s *service) handle(w http.ResponseWriter, r *http.Request) {
	path := route.FindStringSubmatch(r.URL.Path)
	switch {
	case r.Method != http.MethodPost || path == nil:
		refuse(w, http.StatusNotFound, "not_found", "Not Found")
		return
	case r.Header.Get("xi-api-key") != key:
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "Invalid API key "+r.Header.Get("xi-api-key"))
		return
	case r.URL.Query().Get("output_format") != "pcm_24000":
		refuse(w, http.StatusBadRequest, "invalid_output_format", r.URL.RawQuery)
		return
	}
	req := request{Voice: path[1]}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil || req.Text == "" || req.Model == "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		json.NewEncoder(w).Encode(map[string]any{"detail": []any{map[string]any{"loc": []any{"body"}, "msg": "field required", "type": "missing"}}})
		return
	}
	if speed, ok := req.Settings["speed"]; ok && (speed < 0.7 || speed > 1.2) {
		refuse(w, http.StatusBadRequest, "invalid_voice_settings", "speed")
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	s.answer(w, r)
}

// refuse answers as the vendor does.
func refuse(w http.ResponseWriter, code int, status, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"detail": map[string]string{"status": status, "message": message}})
}

// sent returns the requests so far.
func (s *service) sent() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

// provider returns a provider that talks to s.
func (s *service) provider(opts elevenlabs.Options) *elevenlabs.Provider {
	opts.BaseURL, opts.HTTPClient = s.URL, s.Client()
	return elevenlabs.New(key, &opts)
}
