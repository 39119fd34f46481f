//go:build race

package discord_test

// sessions is the number of sessions that TestManySessions plays per guild, fewer because the
// race detector slows them down.
const sessions = 5
