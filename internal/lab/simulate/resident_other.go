//go:build !linux

package simulate

// resident is unknown on this system.
func resident() (int64, bool) { return 0, false }
