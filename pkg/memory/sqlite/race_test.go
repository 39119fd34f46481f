//go:build race

package sqlite_test

// checks is the number of histories per property unless -rapid.checks is set. It is small
// because the race detector makes each one at least ten times slower.
const checks = "6"

// manyLines stands for a campaign that lasted for years, reduced for the race detector.
const manyLines = 5_000

// killedTurns is the number of turns played by processes that are killed.
const killedTurns = 25

// spokenTurns is the number of turns in an evening before a player is forgotten,
// erasedRounds the number of times lines are written and taken back.
const (
	spokenTurns  = 50
	erasedRounds = 5
)

// forgettingKills is how often a forgetting process is killed.
const forgettingKills = 2
