//go:build !race

package sqlite_test

// checks is how many histories a property is held to unless -rapid.checks says
// so.
const checks = "100"
