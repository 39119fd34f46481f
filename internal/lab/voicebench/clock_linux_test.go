package voicebench

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// machineClock returns the machine's monotonic clock in nanoseconds, the same
// for all processes.
func machineClock() (int64, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, fmt.Errorf("asking for the time: %w", err)
	}
	return now.Nano(), nil
}
