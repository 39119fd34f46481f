package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/fakestt"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// webrtc reports whether WebRTC's voice detection is to be had here.
func webrtc() bool {
	_, err := webrtcvad.New(webrtcvad.Aggressive)
	return err == nil
}

// hushed writes a recording of 600 ms of hiss between silences: to energy it is
// noise, to WebRTC's detector a voice.
func hushed(t *testing.T, path string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	sound := make([]int16, audio.SampleRate)
	for i := audio.SampleRate / 5; i < audio.SampleRate*4/5; i++ {
		sound[i] = int16(3000 * r.NormFloat64())
	}
	w, err := audio.CreateWAV(path, audio.SampleRate, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(sound), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// What hearing.detection says is what tells voice from noise at the table. If
// it is not to be had, people are told once, however many players are heard.
func TestDetectionAtTheTable(t *testing.T) {
	for _, row := range []struct {
		detection string
		heard     bool
	}{{config.DetectionEnergy, false}, {config.DetectionWebRTC, webrtc()}} {
		t.Run(row.detection, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			service := fakestt.Start(t, fakestt.Script{Lines: []string{"Hush, Bart!"}, Delay: 20 * time.Millisecond})
			text := fmt.Sprintf("providers: {llm: offline, embeddings: none, tts: silent, stt: {name: deepgram, api_key: key, base_url: %q}}\n"+
				"hearing: {detection: %s}\nnpcs: [{name: Bart}]\n", service.URL(), row.detection)
			file := filepath.Join(dir, "glyphoxa.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			hushed(t, filepath.Join(dir, "ana.wav"))
			cfg, err := play.LoadConfig(file)
			if err != nil {
				t.Fatal(err)
			}
			a, err := play.Open(t.Context(), play.Options{Config: cfg})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			recording := filepath.Join(dir, "ana.wav")
			err = Play(t.Context(), a, Options{JSON: true, Hear: []string{"Ana=" + recording, "Ben=" + recording}, In: strings.NewReader(""), Out: &out})
			if err := errors.Join(err, a.Close()); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(out.String(), `"text":"Hush, Bart!"`); (got > 0) != row.heard {
				t.Errorf("words were heard %d times, want some: %v\n%s", got, row.heard, &out)
			}
			told, want := strings.Count(out.String(), "but energy does it"), 0
			if row.detection == config.DetectionWebRTC && !webrtc() {
				want = 1
			}
			if told != want {
				t.Errorf("what is missing was told %d times, want %d\n%s", told, want, &out)
			}
		})
	}
}
