package memory

import "time"

// MaxWorldChanges is the number of world changes that are kept. The oldest are deleted first.
const MaxWorldChanges = 1000

// WorldChange is the record of one change of the world.
type WorldChange struct {
	// Seq is the number of the change, and At the time it was made.
	Seq uint64
	At  time.Time
	// Who made the change, as callers are named in records, and Cause is its kind, such as "entity.removed".
	Who, Cause string
	// Data is the state before and after, in its writer's encoding; nil if it is not kept.
	Data []byte
	// Undoes is the number of the change that this one reverts, or 0.
	Undoes uint64
	// Undone is the number of the change that reverted this one, or 0 while it is in effect.
	Undone uint64
}
