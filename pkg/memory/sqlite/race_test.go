//go:build race

package sqlite_test

// checks is how many histories a property is held to unless -rapid.checks says
// so: under the race detector each takes ten times as long and more.
const checks = "6"

// manyLines is how many lines stand for a campaign that went on for years; under
// the race detector fewer do, for the same reason.
const manyLines = 5_000

// killedTurns is how many turns are played by processes that are killed.
const killedTurns = 25

// spokenTurns is how many turns there are of an evening of which a player is forgotten,
// and erasedRounds how often lines are written and taken back.
const (
	spokenTurns  = 50
	erasedRounds = 5
)

// forgettingKills is how often a process that forgets is killed.
const forgettingKills = 2
