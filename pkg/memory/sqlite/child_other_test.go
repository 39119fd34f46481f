//go:build !linux

package sqlite_test

// runChild does nothing: only the tests for Linux start children.
func runChild(string, string) {}
