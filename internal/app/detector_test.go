package app

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
	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// webrtc reports whether WebRTC's voice detection is to be had here.
func webrtc() bool {
	_, err := webrtcvad.New(webrtcvad.Aggressive)
	return err == nil
}

// A detector is there in any case; where the library is missing, the reason
// why it is not the one asked for says what to install.
func TestDetector(t *testing.T) {
	for _, asked := range []string{"", config.DetectionEnergy} {
		if d, err := detector(asked); err != nil {
			t.Errorf("detector(%q): %v", asked, err)
		} else if _, ok := d.(*lane.Energy); !ok {
			t.Errorf("detector(%q) = %T, want energy", asked, d)
		}
	}
	d, err := detector(config.DetectionWebRTC)
	if webrtc() {
		if _, ok := d.(*webrtcvad.Detector); !ok || err != nil {
			t.Errorf("detector = %T, %v, want WebRTC's", d, err)
		}
		return
	}
	if _, ok := d.(*lane.Energy); !ok || !errors.Is(err, webrtcvad.ErrNoLibrary) || !strings.Contains(err.Error(), "install") {
		t.Errorf("detector = %T, %v, want energy, and what to install", d, err)
	}
}

// The doctor names what is in use and how to get the other. Only what is asked
// for and missing is a problem.
func TestDetectorFinding(t *testing.T) {
	finding := func(detection string) finding {
		return detectorFinding(&config.Config{Hearing: config.Hearing{Detection: detection}})
	}
	f := finding(config.DetectionEnergy)
	if !f.ok || !strings.HasPrefix(f.state, "energy, judges a frame in ") || !strings.Contains(f.fix, "set hearing.detection to webrtc") {
		t.Errorf("finding = %+v, want energy, its cost, and how to get webrtc", f)
	}
	if strings.Contains(f.fix, "install") == webrtc() {
		t.Errorf("fix = %q although WebRTC's is there: %v", f.fix, webrtc())
	}
	f = finding(config.DetectionWebRTC)
	if webrtc() {
		if !f.ok || !strings.HasPrefix(f.state, "webrtc, by libwebrtc") || !strings.Contains(f.fix, "set hearing.detection to energy") {
			t.Errorf("finding = %+v, want webrtc, its library, and how to get energy", f)
		}
	} else if f.ok || !strings.HasPrefix(f.state, "energy, though") || !strings.Contains(f.fix, "install") {
		t.Errorf("finding = %+v, want a problem and what to install", f)
	}
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
			cfg, err := LoadConfig(file)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Open(t.Context(), Options{Config: cfg})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			recording := filepath.Join(dir, "ana.wav")
			err = a.Play(t.Context(), PlayOptions{JSON: true, Hear: []string{"Ana=" + recording, "Ben=" + recording}, In: strings.NewReader(""), Out: &out})
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
