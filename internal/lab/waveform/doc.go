// Package waveform measures what a player hears of the real program: it builds
// the program, plays speech into a PulseAudio microphone and records its
// loudspeaker, with services on loopback that have the latency of vendors.
// Times are measured in the recording: from the last sample of a voice to the
// first of the answer, and from the words of an interruption to the last sample
// of the interrupted answer.
//
// No package imports it; it contains only tests. make bench-ear runs them.
package waveform
