package providers

import (
	"errors"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lane"
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
		if d, err := Detector(asked); err != nil {
			t.Errorf("Detector(%q): %v", asked, err)
		} else if _, ok := d.(*lane.Energy); !ok {
			t.Errorf("Detector(%q) = %T, want energy", asked, d)
		}
	}
	d, err := Detector(config.DetectionWebRTC)
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
