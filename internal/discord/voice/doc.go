// Package voice is a bot's connection to a guild's voice channel: the voice
// gateway, the sound over UDP both ways, and the two encryptions it is under. It
// knows nothing of tables, and of Discord's main gateway no more than the two
// events it is handed.
//
// [Conn.Run] owns every goroutine and waits for them. Whatever comes from the
// network is untrusted: it is bounded, and what makes no sense is counted and
// dropped.
package voice
