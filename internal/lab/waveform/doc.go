// Package waveform measures what a player hears of the real program: it is built, takes
// what is spoken from a microphone of PulseAudio and is heard at its loudspeaker, against
// services on loopback that take as long as vendors do. Times are counted in the recorded
// sound: from the last sample of a voice to the first of the answer, and from the words of
// an interruption to the last sample of what they interrupted.
//
// Nothing imports it; it has no code but its tests. make bench-ear runs them.
package waveform
