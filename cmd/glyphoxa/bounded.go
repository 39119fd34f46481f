package main

import "runtime/debug"

const (
	// eagerGC is the growth at which garbage is collected while a file is taken in: what is
	// decoded leaves more behind than it keeps, in a program that answers nobody meanwhile.
	eagerGC = 40
	// boundedMemory is where garbage is collected all the time while a file is taken in. With
	// what SQLite takes beside, the program stays below 512 MB, whatever the file holds: the
	// readers bound what they keep.
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
