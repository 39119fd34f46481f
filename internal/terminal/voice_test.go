package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// voiceService is an ElevenLabs on loopback that speaks each sentence as 100 ms of a square
// wave, or fails.
type voiceService struct {
	*httptest.Server
	mu   sync.Mutex // guards the field below
	said []string
}

func newVoiceService(t *testing.T, status int) *voiceService {
	t.Helper()
	s := &voiceService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // opens a connection ahead
			return
		}
		var body struct {
			Text string `json:"text"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("request: %v", err)
		}
		s.mu.Lock()
		s.said = append(s.said, body.Text)
		s.mu.Unlock()
		w.WriteHeader(status)
		w.Write(bytes.Repeat([]byte{0, 0x40, 0, 0xc0}, 1200))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *voiceService) heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.said...)
}

// playVoices plays lines at a table whose voices come from providers, and returns the events
// and the size of the WAV file.
func playVoices(t *testing.T, tts, lines string) (events string, wav int64) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "glyphoxa.yaml")
	text := "languages: [en]\nproviders:\n  llm: offline\n  embeddings: none\n  tts:\n" + tts +
		"npcs:\n  - name: Bart\n    voice: {id: abc}\n    lines:\n      greeting: [\"Hail! Have 2 ales.\"]\n      filler: [\"Hm.\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := play.Open(t.Context(), play.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	path := filepath.Join(dir, "out.wav")
	err = Play(t.Context(), a, Options{
		WAV: path, Speaker: "Ana", JSON: true, In: strings.NewReader(lines), Out: &out,
	})
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), info.Size()
}

// TestPlaySpeaksWordsAndShowsSigns: players read the written text and hear words.
func TestPlaySpeaksWordsAndShowsSigns(t *testing.T) {
	s := newVoiceService(t, http.StatusOK)
	events, wav := playVoices(t, fmt.Sprintf("    {name: elevenlabs, base_url: %q, options: {warm: false}}\n", s.URL), "/say Bart That is 5 gp, or 2d6+3.\n")
	if got := s.heard(); len(got) != 1 || got[0] != "That is five gold pieces, or two d six plus three." {
		t.Errorf("the service said %q", got)
	}
	if !strings.Contains(events, `"text":"That is 5 gp, or 2d6+3."`) || strings.Contains(events, "gold pieces") {
		t.Errorf("the events do not show what was written:\n%s", events)
	}
	if wav < 9600 {
		t.Errorf("the WAV file has %d bytes, want at least 100 ms of sound", wav)
	}
}

func TestPlayTellsWhoTakesOver(t *testing.T) {
	down, up := newVoiceService(t, http.StatusServiceUnavailable), newVoiceService(t, http.StatusOK)
	tts := fmt.Sprintf("    name: openai\n    base_url: %q\n    options: {warm: false}\n    fallback:\n      - {name: elevenlabs, base_url: %q}\n", down.URL, up.URL)
	events, wav := playVoices(t, tts, "/say Bart Well.\n/say Bart Hm.\n")
	if got := up.heard(); len(got) != 2 {
		t.Errorf("the second service said %q, want two sentences", got)
	}
	if n := strings.Count(events, "elevenlabs speaks now: openai: speech is unavailable: status 503"); n != 1 {
		t.Errorf("people are told %d times, want once:\n%s", n, events)
	}
	if wav < 2*9600 {
		t.Errorf("the WAV file has %d bytes, want at least 200 ms of sound", wav)
	}
}

func TestPlayWarmsStockPhrases(t *testing.T) {
	s := newVoiceService(t, http.StatusOK)
	playVoices(t, fmt.Sprintf("    {name: elevenlabs, base_url: %q, options: {warm: true}}\n", s.URL), "/say Bart Have 2 ales.\n/say Bart Have 2 ales.\n")
	times := 0
	for _, text := range s.heard() {
		if text == "Have two ales." {
			times++
		}
	}
	// Twice if the first sentence came before the phrase was cached.
	if times < 1 || times > 2 {
		t.Errorf("the service said the phrase %d times: %q", times, s.heard())
	}
}
