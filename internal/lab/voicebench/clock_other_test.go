//go:build !linux

package voicebench

import "errors"

// machineClock works only on Linux.
func machineClock() (int64, error) {
	return 0, errors.New("processes share no clock that is known here")
}
