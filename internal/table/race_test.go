//go:build race

package table_test

import "time"

const (
	// dayLength is how long the day at the table is.
	dayLength = 2 * time.Hour
	// randomTables is how many random tables are played unless -rapid.checks says
	// so.
	randomTables = "50"
)
