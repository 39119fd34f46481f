//go:build !race

package discord_test

// sessions is how many sessions of a guild TestManySessions plays.
const sessions = 20
