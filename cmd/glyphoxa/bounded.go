package main

import "runtime/debug"

const (
	// eagerGC is the growth at which garbage is collected while a file is imported:
	// decoding leaves much garbage, and the program serves no requests meanwhile.
	eagerGC = 40
	// boundedMemory is the limit from which garbage is collected continuously during an
	// import. Together with SQLite's memory the program stays below 512 MB for any file,
	// because the readers limit what they keep.
	boundedMemory = 320 << 20
)

// boundMemory collects garbage eagerly, until undo is called.
func boundMemory() (undo func()) {
	limit := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, boundedMemory))
	percent := debug.SetGCPercent(eagerGC)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
