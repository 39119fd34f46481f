// Package voicebench compares the voice loop with LiveKit Agents: the same
// scripted players, models and voices at the same times, each side in its own
// process. It measures from the final transcript to the first frame of the
// answer, from an interruption to silence, and the cost of a turn.
//
// No package imports it; it contains only tests. The peer is in
// testdata/peers/livekit; make bench-peers installs and runs it.
package voicebench
