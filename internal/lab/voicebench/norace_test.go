//go:build !race

package voicebench

// racing says that the race detector is at work.
const racing = false
