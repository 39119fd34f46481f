//go:build unix

package mcpbench

import (
	"syscall"
	"time"
)

// processorTime is the processor time of this process, which other processes do
// not affect.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
