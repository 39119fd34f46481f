// Package voice is a bot's connection to a guild's voice channel: the voice
// gateway, the sound over UDP both ways, and the two encryptions it is under. It
// knows nothing of tables, and of Discord's main gateway no more than the two
// events it is handed.
//
// [Conn.Run] owns every goroutine and waits for them. Whatever comes from the
// network is untrusted: it is bounded, and what makes no sense is counted and
// dropped.
//
// A [Group] is a bot's part in the end-to-end encryption of the channel (DAVE, version 1; files e2ee*.go): the
// keys that all in the channel agree on over the voice gateway, and the frames that they encrypt with them.
// It does no I/O and starts no goroutine: what is to be sent goes to the callbacks, and what is due at a
// time is done by Tick. Whatever comes from outside may be any bytes.
package voice
