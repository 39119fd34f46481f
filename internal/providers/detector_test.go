package providers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// detection opens the configured detector and closes it after the test.
func detection(t *testing.T, hearing config.Hearing) *Detection {
	t.Helper()
	d, err := OpenDetection(hearing, func(err error) { t.Errorf("the model failed: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// isEnergy reports whether the energy detector is in use.
func isEnergy(d *Detection) bool {
	_, ok := d.NewDetector().(*ear.Energy)
	return ok && d.Name() == config.DetectionEnergy && d.Library() == ""
}

func TestEnergyNeedsNothing(t *testing.T) {
	for _, asked := range []string{"", config.DetectionEnergy} {
		if d := detection(t, config.Hearing{Detection: asked}); !isEnergy(d) || d.Missing() != nil {
			t.Errorf("%q is %T by %q, %v, want energy", asked, d.NewDetector(), d.Library(), d.Missing())
		}
	}
}

// There is always a detector. Where WebRTC's library is missing, the reason says what to
// install.
func TestWebRTC(t *testing.T) {
	d := detection(t, config.Hearing{Detection: config.DetectionWebRTC})
	if _, err := newWebRTC(); err == nil {
		if _, ok := d.NewDetector().(*vad.WebRTC); !ok || d.Missing() != nil || d.Library() == "" {
			t.Errorf("detector = %T by %q, %v, want WebRTC's", d.NewDetector(), d.Library(), d.Missing())
		}
		return
	}
	if err := d.Missing(); !isEnergy(d) || !errors.Is(err, vad.ErrNoWebRTC) || !strings.Contains(err.Error(), "install") {
		t.Errorf("detector = %T, %v, want energy, and what to install", d.NewDetector(), err)
	}
}

// openSilero opens the model for a setting that must find it.
func openSilero(t *testing.T, asked string) *Detection {
	t.Helper()
	d, err := OpenDetection(config.Hearing{Detection: asked}, func(err error) { t.Errorf("the model failed: %v", err) })
	if err == nil && d.Missing() != nil {
		err = d.Missing()
	}
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	return d
}

// With the library, auto and silero behave the same. After Close, streams that still run
// use energy without a message.
func TestSilero(t *testing.T) {
	for _, asked := range []string{config.DetectionAuto, config.DetectionSilero} {
		d := openSilero(t, asked)
		det := d.NewDetector()
		if _, ok := det.(*ear.Model); !ok || d.Name() != config.DetectionSilero || d.Library() == "" {
			t.Errorf("%s is %T by %q, want silero", asked, det, d.Library())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		var loud audio.Frame
		for i := range loud {
			loud[i] = int16(i % 400 * 40)
		}
		for range 5 { // the first of these find the session closed
			det.Process(&loud)
		}
		want := ear.NewEnergy()
		for range 5 {
			want.Process(&loud)
		}
		if got, want := det.Process(&loud), want.Process(&loud); got != want {
			t.Errorf("after Close a frame is %v, want energy's %v", got, want)
		}
		if _, ok := d.NewDetector().(*ear.Energy); !ok {
			t.Errorf("after Close a new detector is %T, want energy", d.NewDetector())
		}
	}
}

// Without the library, "silero" is refused, and "auto" uses energy and says how to
// install the library.
func TestSileroWithoutTheLibrary(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "libonnxruntime.so.1")
	_, err := OpenDetection(config.Hearing{Detection: config.DetectionSilero, ONNXRuntime: nowhere}, nil)
	if !errors.Is(err, vad.ErrNoOnnxruntime) || !errors.Is(err, userfile.ErrUsage) {
		t.Fatalf("err = %v, want that the library is missing, as a wrong configuration", err)
	}
	for _, want := range []string{"hearing.detection is silero", nowhere, "onnxruntime"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("err = %q, want %q in it", err, want)
		}
	}
	d := detection(t, config.Hearing{Detection: config.DetectionAuto, ONNXRuntime: nowhere})
	if err := d.Missing(); !isEnergy(d) || !errors.Is(err, vad.ErrNoOnnxruntime) {
		t.Errorf("auto is %s, %v, want energy and why", d.Name(), err)
	}
}

// A failing model is reported once, however many players speak.
func TestFailureIsToldOnce(t *testing.T) {
	told := 0
	d := &Detection{failed: func(error) { told++ }}
	d.reportFailure(vad.ErrClosed)
	if told != 0 {
		t.Error("closing was told as a failure")
	}
	for range 3 {
		d.reportFailure(vad.ErrNoAnswer)
	}
	if told != 1 {
		t.Errorf("a failure was told %d times, want once", told)
	}
	(&Detection{}).reportFailure(vad.ErrNoAnswer) // without a function to report to
}
