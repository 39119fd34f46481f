//go:build race

package sqlite_test

// checks is how many histories a property is held to unless -rapid.checks says
// so: under the race detector each takes ten times as long.
const checks = "20"
