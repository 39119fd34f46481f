// Package voice connects a bot to a guild's voice channel: the voice gateway, sound over UDP in both
// directions, and its two layers of encryption. It does not depend on tables. Of Discord's main gateway, it
// only needs the two events passed to [Conn.UpdateState] and [Conn.UpdateServer].
//
//	conn := voice.New(voice.Options{Guild: guild, User: bot, Move: move, Hear: hear})
//	go conn.Run(ctx)
//	err := conn.Join(ctx, channel)
//
// [Conn.Run] starts all goroutines and waits for them. Everything from the network is untrusted: it is
// bounded, and invalid input is counted and dropped.
//
// A [Group] implements the bot's side of the channel's end-to-end encryption (DAVE, version 1; files
// e2ee*.go): the keys that all members agree on over the voice gateway, and the frames they encrypt with
// these keys. It does no I/O and starts no goroutine: it sends messages through callbacks, and runs timed
// actions in Tick. It accepts arbitrary bytes as input.
package voice
