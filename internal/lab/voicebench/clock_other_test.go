//go:build !linux

package voicebench

import "errors"

// machineClock is told on Linux alone.
func machineClock() (int64, error) {
	return 0, errors.New("processes share no clock that is known here")
}
