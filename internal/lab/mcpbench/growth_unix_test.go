//go:build unix

package mcpbench

import (
	"syscall"
	"time"
)

// processorTime is what the processors have worked for this process. Unlike the clock it
// does not go on while others work.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
