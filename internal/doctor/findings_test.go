package doctor

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// webrtc reports whether WebRTC's voice detection is to be had here.
func webrtc() bool {
	_, err := webrtcvad.New(webrtcvad.Aggressive)
	return err == nil
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

// The doctor names the speech recognition that would be used.
func TestHearingFinding(t *testing.T) {
	cfg := &config.Config{Providers: config.Providers{STT: config.ProviderChain{Provider: config.Provider{Name: providers.DeepGram, APIKey: "k"}}}}
	if f := hearingFinding(cfg); !f.ok || f.state != "deepgram nova-3" {
		t.Errorf("the doctor says %+v, want deepgram nova-3", f)
	}
}

func TestHearingRefusesAnAddress(t *testing.T) {
	c := config.ProviderChain{Provider: config.Provider{Name: providers.DeepGram, BaseURL: "ftp://user:secret@host"}}
	f := hearingFinding(&config.Config{Providers: config.Providers{STT: c}})
	if f.ok || f.fix == "" || strings.Contains(f.state, "secret") {
		t.Errorf("the doctor says %+v, want a problem without the address", f)
	}
}
