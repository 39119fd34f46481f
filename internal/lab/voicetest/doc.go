// Package voicetest is Discord's voice side on loopback for tests: a voice
// gateway of version 8 over TLS and the UDP server beside it, which forwards
// what each participant of a channel says to all others, and, with end-to-end
// encryption (DAVE), the external sender that says who belongs to the group.
//
// The main gateway is elsewhere: [Server.Admit] is what it tells a voice server
// of somebody who comes, and returns what that one is to be told. From then on
// the server speaks for itself. It is strict: what Discord would refuse, or what
// nobody could hear, is a fault, and a fault that nobody took with
// [Server.TakeFaults] fails the test when it ends.
//
// It opens and seals packets by itself, so that what a client does is not
// checked with the client's own code. It never sees through the end-to-end
// encryption, as Discord does not.
//
// [Peer] is a participant that nobody here wrote: @discordjs/voice, driven from Go.
//
// It is for tests alone, and knows nothing of the product.
package voicetest
