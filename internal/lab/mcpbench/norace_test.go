//go:build !race

package mcpbench

// racing says that the race detector is at work.
const racing = false
