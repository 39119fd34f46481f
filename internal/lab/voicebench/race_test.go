//go:build race

package voicebench

// racing says that the race detector is on, which slows everything down several
// times, and unequally.
const racing = true
