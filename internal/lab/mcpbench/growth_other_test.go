//go:build !unix

package mcpbench

import "time"

var began = time.Now()

// processorTime is the clock's, where nobody says what the processors have worked.
func processorTime() time.Duration { return time.Since(began) }
