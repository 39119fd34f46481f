package app

import (
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// detector returns what tells voice from noise on one player's lane, as
// hearing.detection asks. If that is not to be had, it returns what does it
// instead, and why.
func detector(detection string) (lane.Detector, error) {
	if detection != config.DetectionWebRTC {
		return lane.NewEnergy(), nil
	}
	// A stricter mode misses who speaks softly beside a hum; milder ones hear no
	// more of those who speak, and begin on more noises.
	d, err := webrtcvad.New(webrtcvad.Aggressive)
	if err != nil {
		return lane.NewEnergy(), err
	}
	return d, nil
}

// detectorFinding says what tells voice from noise, at what cost, and how to
// get the other.
func detectorFinding(cfg *config.Config) finding {
	const part = "voice detection"
	d, err := detector(cfg.Hearing.Detection)
	if err != nil {
		return finding{part, false, "energy, though hearing.detection is webrtc", err.Error()}
	}
	f, name := finding{part: part, ok: true}, config.DetectionEnergy
	if w, ok := d.(*webrtcvad.Detector); ok {
		name = config.DetectionWebRTC + ", by " + w.Library()
		f.fix = "for a noisy room set hearing.detection to energy, which coughs and clatter do not start"
	} else {
		f.fix = "for players who whisper set hearing.detection to webrtc"
		if _, err := webrtcvad.New(webrtcvad.Aggressive); err != nil {
			f.fix += "; " + err.Error()
		}
	}
	const frames = 50
	var hum audio.Frame
	for i := range hum { // something to judge: silence costs nothing
		hum[i] = int16(i % 400 * 20)
	}
	start := time.Now()
	for range frames {
		d.Process(&hum)
	}
	f.state = fmt.Sprintf("%s, judges a frame in %v", name, (time.Since(start) / frames).Round(time.Microsecond))
	return f
}
