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
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// webrtc reports whether WebRTC's voice detection is available here.
func webrtc() bool {
	_, err := vad.NewWebRTC(vad.Aggressive)
	return err == nil
}

// terminalModel reports whether Silero's detection is available here.
func terminalModel(t *testing.T) bool {
	t.Helper()
	s, err := vad.OpenSilero("")
	if err != nil {
		return false
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return true
}

// missing returns the text if is is true.
func missing(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// hushed writes a recording of 600 ms of hiss between silences. The energy detector takes it
// for noise, WebRTC's for voice.
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

// TestDetectionAtTheTable: the table uses the detector that hearing.detection names. If it is
// not available, people read that once, for any number of players.
func TestDetectionAtTheTable(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "libonnxruntime.so.1")
	for _, row := range []struct {
		detection string
		heard     bool
		told      string // notice, read once; empty for none
	}{
		{config.DetectionEnergy, false, ""},
		{config.DetectionWebRTC, webrtc(), missing(!webrtc(), "hearing.detection is webrtc, but loudness decides")},
		{config.DetectionAuto, false, missing(!terminalModel(t), "loudness alone decides who is speaking")},
		{config.DetectionAuto + ", onnxruntime: " + nowhere, false, "loudness alone decides who is speaking"},
	} {
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
			told := strings.Count(out.String(), "decides who is speaking")
			if row.told == "" && told > 0 || row.told != "" && (told != 1 || !strings.Contains(out.String(), row.told)) {
				t.Errorf("what is missing was told %d times, want %q once\n%s", told, row.told, &out)
			}
		})
	}
}

// TestNamedDetectionIsMissing: if the configuration names silero and it is not available,
// people read what to do before anything starts.
func TestNamedDetectionIsMissing(t *testing.T) {
	dir := t.TempDir()
	hushed(t, filepath.Join(dir, "ana.wav"))
	file := filepath.Join(dir, "glyphoxa.yaml")
	text := "providers: {llm: offline, embeddings: none, tts: silent, stt: {name: deepgram, api_key: key}}\n" +
		"hearing: {detection: silero, onnxruntime: nowhere.so}\nnpcs: [{name: Bart}]\n"
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
	err = Play(t.Context(), a, Options{JSON: true, Hear: []string{"Ana=" + filepath.Join(dir, "ana.wav")}, In: strings.NewReader(""), Out: &out})
	if !errors.Is(err, userfile.ErrUsage) || !errors.Is(err, vad.ErrNoOnnxruntime) {
		t.Fatalf("err = %v, want that the library is missing, as a wrong configuration", err)
	}
	for _, want := range []string{"--hear", filepath.Join(dir, "nowhere.so"), "make onnx", "set it to auto"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("err = %q, want %q in it", err, want)
		}
	}
	// Typed input needs no detection.
	if err := Play(t.Context(), a, Options{JSON: true, In: strings.NewReader(""), Out: &out}); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
