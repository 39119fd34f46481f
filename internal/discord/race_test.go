//go:build race

package discord_test

// sessions is how many sessions of a guild TestManySessions plays: the race
// detector makes them slow.
const sessions = 5
