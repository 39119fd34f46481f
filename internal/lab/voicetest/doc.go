// Package voicetest is Discord's voice side on loopback for tests: a voice
// gateway of version 8 over TLS and the UDP server beside it, which forwards
// each participant's sound to all others in the channel, and, with end-to-end
// encryption (DAVE), the external sender that controls the group's membership.
//
// The main gateway is elsewhere: it calls [Server.Admit] for a user who joins,
// and sends the result to the user. From then on the server works on its own.
// It is strict: whatever Discord would refuse, or no client could hear, is a
// fault, and faults not taken with [Server.TakeFaults] fail the test when it
// ends.
//
// It opens and seals packets with its own code, so that a client is not checked
// with the client's code. Like Discord, it cannot decrypt the end-to-end
// encryption.
//
// [Peer] is a third-party participant: @discordjs/voice, driven from Go.
//
// It is for tests alone, and knows nothing of the product.
package voicetest
