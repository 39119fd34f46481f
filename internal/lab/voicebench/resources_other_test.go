//go:build !linux

package voicebench

// cpuSeconds and residentMB are told on Linux alone.
func cpuSeconds() (float64, error) { return 0, nil }
func residentMB() (float64, error) { return 0, nil }
