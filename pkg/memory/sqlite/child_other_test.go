//go:build !linux

package sqlite_test

// runChild does nothing, because only the Linux tests start children.
func runChild(string, string) {}
