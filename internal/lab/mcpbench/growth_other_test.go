//go:build !unix

package mcpbench

import "time"

var began = time.Now()

// processorTime falls back to the clock where the system does not report
// processor time.
func processorTime() time.Duration { return time.Since(began) }
