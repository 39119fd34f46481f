package memory

import "time"

// MaxWorldChanges is how many changes of the world are remembered; the oldest give way.
const MaxWorldChanges = 1000

// WorldChange is the record of one change of the world.
type WorldChange struct {
	// Seq is the number of the change, and At when it was made.
	Seq uint64
	At  time.Time
	// Who made it, as callers are named in records, and Cause what it was, such as
	// "entity.removed".
	Who, Cause string
	// Data is what was there before and after, as its writer encodes it; nil if that is
	// not kept.
	Data []byte
	// Undoes is the number of the change that it takes back, 0 if it takes none back.
	Undoes uint64
	// Undone is the number of the change that took it back, 0 while it holds.
	Undone uint64
}
