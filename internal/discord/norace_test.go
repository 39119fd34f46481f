//go:build !race

package discord_test

// sessions is the number of sessions that TestManySessions plays per guild.
const sessions = 20
