package providers

import (
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// Detector returns what tells voice from noise on one player's lane, as
// hearing.detection asks. If that is not to be had, it returns what does it
// instead, and why.
func Detector(detection string) (lane.Detector, error) {
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
