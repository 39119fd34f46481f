//go:build !(linux && (amd64 || arm64) && !android && !faketime && !static)

package vad

import "github.com/MrWong99/glyphoxa/pkg/audio"

// WebRTC stands for the detector, which is not available on this system.
type WebRTC struct{}

func names() []string { return nil }

func open([]string, WebRTCMode) (*WebRTC, error) { return nil, webrtcMissing("") }

// Library returns "".
func (d *WebRTC) Library() string { return "" }

// Process returns 0.
func (d *WebRTC) Process(*audio.Frame) float64 { return 0 }
