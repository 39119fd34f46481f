//go:build !(linux && (amd64 || arm64) && !android && !faketime && !static)

package webrtcvad

import "github.com/MrWong99/glyphoxa/pkg/audio"

// Detector stands for the detector, which is not used on this system: there is
// never one.
type Detector struct{}

func names() []string { return nil }

func open([]string, Mode) (*Detector, error) { return nil, missing("") }

// Library returns nothing.
func (d *Detector) Library() string { return "" }

// Process returns 0.
func (d *Detector) Process(*audio.Frame) float64 { return 0 }
