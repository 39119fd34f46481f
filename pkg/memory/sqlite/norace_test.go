//go:build !race

package sqlite_test

// checks is the number of histories per property unless -rapid.checks is set.
const checks = "100"

// manyLines is the size of a campaign that lasted for years.
const manyLines = 100_000

// killedTurns is the number of turns played by processes that are killed.
const killedTurns = 200

// spokenTurns is the number of turns in an evening before a player is forgotten,
// erasedRounds the number of times lines are written and taken back.
const (
	spokenTurns  = 400
	erasedRounds = 20
)

// forgettingKills is how often a forgetting process is killed.
const forgettingKills = 4
