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

// Detection makes what tells voice from noise for any number of players, who
// share a model. It is safe for concurrent use.
type Detection struct {
	name    string
	library string
	missing error
	model   *vad.Silero // nil unless it judges
	failed  func(error)
	once    sync.Once // tells failed
}

// OpenDetection opens what hearing asks for. What is named and not there is an
// error if it is silero; webrtc gives way to energy, and so does silero where
// hearing.detection leaves the choice: Missing says why. failed is called once,
// with any goroutine, if the model fails later on; energy judges then. If nil,
// nobody is told.
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

// newWebRTC returns WebRTC's detector. A stricter mode misses who speaks softly
// beside a hum; milder ones hear no more of those who speak, and begin on more
// noises.
func newWebRTC() (*vad.WebRTC, error) { return vad.NewWebRTC(vad.Aggressive) }

// Name returns which of the config.Detection constants does it, never auto.
func (d *Detection) Name() string { return d.name }

// Library returns the library that does it, with its version if it tells; empty
// if none is needed.
func (d *Detection) Library() string { return d.library }

// Missing returns why it is not what would be preferred, and what to do about
// it; nil if it is.
func (d *Detection) Missing() error { return d.missing }

// NewDetector returns what judges one player's lane. After Close it judges by
// energy.
func (d *Detection) NewDetector() ear.Detector {
	switch d.name {
	case config.DetectionSilero:
		stream, err := d.model.NewStream()
		if err != nil {
			d.giveUp(err)
			break
		}
		m, err := ear.NewModel(stream, d.giveUp)
		if err != nil {
			d.giveUp(err)
			break
		}
		return m
	case config.DetectionWebRTC:
		if w, err := newWebRTC(); err == nil { // it was there when it was opened
			return w
		}
	}
	return ear.NewEnergy()
}

// giveUp tells that the model failed. That it was closed is no failure.
func (d *Detection) giveUp(err error) {
	if errors.Is(err, vad.ErrClosed) || d.failed == nil {
		return
	}
	d.once.Do(func() { d.failed(err) })
}

// Close gives back what a model takes. Detectors that are still in use judge by
// energy from then on.
func (d *Detection) Close() error {
	if d.model == nil {
		return nil
	}
	return d.model.Close()
}
