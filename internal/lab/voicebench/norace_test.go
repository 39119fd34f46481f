//go:build !race

package voicebench

// racing says that the race detector is on.
const racing = false
