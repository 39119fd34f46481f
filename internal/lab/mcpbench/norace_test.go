//go:build !race

package mcpbench

// racing says that the race detector is on.
const racing = false
