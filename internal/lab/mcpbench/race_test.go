//go:build race

package mcpbench

// racing says that the race detector is at work, which slows everything down
// several times and not alike.
const racing = true
