package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// detectorFinding reports which detector tells voice from noise, why, how long it takes, and how to use
// another.
func detectorFinding(cfg *config.Config) finding {
	const part = "voice detection"
	asked := cfg.Hearing.Detection
	d, err := providers.OpenDetection(cfg.Hearing, nil)
	if err != nil {
		return finding{part, false, "none, because hearing.detection is silero", err.Error()}
	}
	defer d.Close() // an error when closing a model does not matter here
	f := finding{part: part, ok: true, state: d.Name()}
	if d.Library() != "" {
		f.state += ", by " + d.Library()
	}
	switch missing := d.Missing(); {
	case missing != nil && asked == config.DetectionWebRTC:
		return finding{part, false, "energy (loudness), although hearing.detection is webrtc", missing.Error()}
	case missing != nil:
		f.state += ", because silero cannot be used"
		f.fix = missing.Error()
	case d.Name() == config.DetectionSilero:
		f.fix = "it misses most whispers; if players whisper, set hearing.detection to webrtc"
	case d.Name() == config.DetectionWebRTC:
		f.fix = "in a noisy room, set hearing.detection to silero or energy, which ignore coughs and clatter"
	default:
		f.fix = "in a room with music, set hearing.detection to silero; if players whisper, set it to webrtc"
		if _, err := vad.NewWebRTC(vad.Aggressive); err != nil {
			f.fix += "; " + err.Error()
		}
	}
	f.state += fmt.Sprintf(", judges a frame in %v", timeFrames(d.NewDetector()).Round(time.Microsecond))
	return f
}

// timeFrames returns how long a detector takes to judge a frame with sound.
func timeFrames(d ear.Detector) time.Duration {
	const frames = 50
	var hum audio.Frame
	for i := range hum { // not silence, because that takes no time
		hum[i] = int16(i % 400 * 20)
	}
	start := time.Now()
	for range frames {
		d.Process(&hum)
	}
	return time.Since(start) / frames
}

// hearingFinding reports on speech recognition.
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

// idleFindings reports settings that have no effect.
func idleFindings(cfg *config.Config) []finding {
	var found []finding
	for _, p := range cfg.Idle {
		found = append(found, finding{"without effect", true, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What), p.Fix})
	}
	return found
}

// proxyFinding reports which reverse proxies are trusted if callers use tokens. It returns nothing if only
// this machine has access.
func proxyFinding(cfg *config.Config) []finding {
	const part = "proxies"
	switch trusted := cfg.Server.TrustedProxies; {
	case len(trusted) > 0:
		return []finding{{part, true, strings.Join(trusted, ", ") + " may pass on the addresses of their callers", ""}}
	case len(cfg.Server.Clients) > 0 || cfg.Server.OAuth != nil:
		return []finding{{part, true, "none is trusted, so X-Forwarded-For and Forwarded are ignored", "if Glyphoxa is behind a reverse proxy, add the proxy to server.trusted_proxies; otherwise all callers seem to have one address"}}
	}
	return nil
}
