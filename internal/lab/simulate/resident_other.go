//go:build !linux

package simulate

// resident is not known on this system.
func resident() (int64, bool) { return 0, false }
