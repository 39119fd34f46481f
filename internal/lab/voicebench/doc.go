// Package voicebench sets the voice loop beside LiveKit Agents: the same
// scripted players, models and voices at the same moments, each side in a
// process of its own. It measures from the final transcript to the first frame
// of the answer and from an interruption to silence, and what a turn costs.
//
// Nothing imports it; it has no code but its tests. The peer is in
// testdata/peers/livekit; make bench-peers installs and runs it.
package voicebench
