//go:build !race

package sqlite_test

// checks is how many histories a property is held to unless -rapid.checks says
// so.
const checks = "100"

// manyLines is how many lines stand for a campaign that went on for years.
const manyLines = 100_000

// killedTurns is how many turns are played by processes that are killed.
const killedTurns = 200

// spokenTurns is how many turns there are of an evening of which a player is forgotten,
// and erasedRounds how often lines are written and taken back.
const (
	spokenTurns  = 400
	erasedRounds = 20
)

// forgettingKills is how often a process that forgets is killed.
const forgettingKills = 4
