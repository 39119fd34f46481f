//go:build !linux

package voicebench

// cpuSeconds and residentMB work only on Linux.
func cpuSeconds() (float64, error) { return 0, nil }
func residentMB() (float64, error) { return 0, nil }
