package providers

import (
	"errors"
	"fmt"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// Detection creates voice detectors for any number of players, who share a model. It is
// safe for concurrent use.
type Detection struct {
	name    string
	library string
	missing error
	model   *vad.Silero // nil unless in use
	failed  func(error)
	once    sync.Once // calls failed
}

// OpenDetection opens the detector that hearing selects. If silero is selected by name
// and missing, that is an error; webrtc gives way to energy, and so does silero where
// hearing.detection leaves the choice, and Missing says why. failed is called once, on
// any goroutine, if the model fails later; energy judges then. failed may be nil.
func OpenDetection(hearing config.Hearing, failed func(error)) (*Detection, error) {
	d := &Detection{name: config.DetectionEnergy, failed: failed}
	switch hearing.Detection {
	case config.DetectionAuto, config.DetectionSilero:
		model, err := vad.OpenSilero(hearing.ONNXRuntime)
		if err != nil && hearing.Detection == config.DetectionSilero {
			return nil, userfile.Usage(fmt.Errorf("hearing.detection is silero, but %w; or set it to auto", err))
		}
		if d.missing = err; err == nil {
			d.name, d.model, d.library = config.DetectionSilero, model, model.Library()
		}
	case config.DetectionWebRTC:
		w, err := newWebRTC()
		if d.missing = err; err == nil {
			d.name, d.library = config.DetectionWebRTC, w.Library()
		}
	}
	return d, nil
}

// newWebRTC returns WebRTC's detector. A stricter mode misses soft speech beside a hum; a
// milder one hears no more speech, and starts on more noises.
func newWebRTC() (*vad.WebRTC, error) { return vad.NewWebRTC(vad.Aggressive) }

// Name returns the config.Detection constant of the detector in use, never auto.
func (d *Detection) Name() string { return d.name }

// Library returns the library in use, with its version if known; empty if none is needed.
func (d *Detection) Library() string { return d.library }

// Missing returns why the preferred detector is not in use, and the remedy; nil if it is.
func (d *Detection) Missing() error { return d.missing }

// NewDetector returns the detector for one player's lane. After Close it uses energy.
func (d *Detection) NewDetector() ear.Detector {
	switch d.name {
	case config.DetectionSilero:
		stream, err := d.model.NewStream()
		if err != nil {
			d.reportFailure(err)
			break
		}
		m, err := ear.NewModel(stream, d.reportFailure)
		if err != nil {
			d.reportFailure(err)
			break
		}
		return m
	case config.DetectionWebRTC:
		if w, err := newWebRTC(); err == nil { // the library was there when it was opened
			return w
		}
	}
	return ear.NewEnergy()
}

// reportFailure reports that the model failed. A closed model is not a failure.
func (d *Detection) reportFailure(err error) {
	if errors.Is(err, vad.ErrClosed) || d.failed == nil {
		return
	}
	d.once.Do(func() { d.failed(err) })
}

// Close releases the model. Detectors that are still in use continue with energy.
func (d *Detection) Close() error {
	if d.model == nil {
		return nil
	}
	return d.model.Close()
}
