package waveform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
)

// Delays of vendors.
const (
	finalDelay   = 350 * time.Millisecond // from the request for a final transcript to its arrival
	interimDelay = 150 * time.Millisecond // from a word to its interim transcript
	firstToken   = 200 * time.Millisecond
	nextToken    = 15 * time.Millisecond
	firstVoice   = 75 * time.Millisecond
	nextVoice    = 30 * time.Millisecond // per 100 ms of sound
)

const npcName = "Bartok"

// scene is shared by the services: the current speech and answer.
type scene struct {
	said   atomic.Pointer[clip]
	answer atomic.Pointer[string] // of the measured turn; tones are its voice
	reply  atomic.Pointer[string] // the model's next answer
}

func newScene() *scene {
	s := &scene{}
	nothing := ""
	s.said.Store(&clip{})
	s.answer.Store(&nothing)
	s.reply.Store(&nothing)
	return s
}

func (s *scene) understand(sound []int16) string {
	return s.said.Load().understand(sound, fakestt.Rate)
}

// configure starts the services and writes a configuration that uses them. With
// interims, transcripts come during speech.
func (s *scene) configure(t *testing.T, dir, onnx string, interims bool) string {
	model := fakeopenai.Start(t, func(fakeopenai.Request) fakeopenai.Response {
		words := strings.SplitAfter(*s.reply.Load(), " ")
		return fakeopenai.Response{Pieces: words, First: firstToken - nextToken, Delay: nextToken}
	}, &fakeopenai.Options{
		SpeechFirst: firstVoice, SpeechDelay: nextVoice,
		Voice: func(text, _ string) []int16 { return tones(*s.answer.Load(), text) },
	})
	hearing := fakestt.Start(t, fakestt.Script{Understand: s.understand, Interim: interimDelay, Delay: finalDelay})
	recogniser, address := "openai", hearing.URL()+"/v1"
	if interims {
		recogniser, address = "deepgram", hearing.URL()
	}
	const form = `languages: [en]
hearing: {detection: silero, onnxruntime: %q}
providers:
  llm: {name: openai, api_key: bench-key, base_url: %q, model: gpt-4-bench}
  stt: {name: %s, api_key: bench-key, base_url: %q}
  tts: {name: openai, api_key: bench-key, base_url: %q, options: {voice: nova}}
npcs:
  - name: %s
    personality: You keep an inn.
`
	path := filepath.Join(dir, "glyphoxa.yaml")
	config := fmt.Sprintf(form, onnx, model.URL(), recogniser, address, model.URL(), npcName)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
