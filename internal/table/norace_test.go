//go:build !race

package table_test

import "time"

const (
	// dayLength is the duration of TestADayAtTheTable.
	dayLength = 24 * time.Hour
	// randomTables is the number of random tables unless -rapid.checks is set.
	randomTables = "300"
)
