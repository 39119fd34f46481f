package doctor

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// detectorFinding says what tells voice from noise, at what cost, and how to
// get the other.
func detectorFinding(cfg *config.Config) finding {
	const part = "voice detection"
	d, err := providers.Detector(cfg.Hearing.Detection)
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

// hearingFinding is what the doctor says of the speech recognition.
func hearingFinding(cfg *config.Config) finding {
	p, err := providers.Recognition(cfg.Providers.STT, nil)
	switch {
	case errors.Is(err, providers.ErrNoRecognition):
		return finding{"hearing", true, "no speech recognition; players type", "set providers.stt in glyphoxa.yaml, or OPENAI_API_KEY"}
	case err != nil:
		return finding{"hearing", false, strings.TrimPrefix(err.Error(), "providers.stt: "), "correct providers.stt.base_url"}
	}
	return finding{part: "hearing", ok: true, state: p.Name(), fix: "try it: glyphoxa transcribe FILE.wav"}
}

// idleFindings say what is configured and has no effect.
func idleFindings(cfg *config.Config) []finding {
	var found []finding
	for _, p := range cfg.Idle {
		found = append(found, finding{"without effect", true, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What), p.Fix})
	}
	return found
}
