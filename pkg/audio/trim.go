package audio

import (
	"slices"
	"time"
)

const (
	// silenceBelow is the level in dB relative to the loudest block so far below which a block of 10 ms is
	// silence. Soft consonants and breaths are 20 to 40 dB below, synthesis noise further.
	silenceBelow = 46
	// Regardless of the voice's level, a block below silenceLeast is silence, and one above silenceMost is
	// not, in dBFS.
	silenceLeast, silenceMost = -64, -50
	// preRoll is the number of blocks kept before the first audible one, because consonants begin softly.
	preRoll = 3
	// longestPause is the maximum silence held back, beyond the gap, until it is known whether the sentence
	// continues.
	longestPause = time.Second
)

// Trimmer removes the silence before a sentence, and the silence after it beyond a gap. It keeps pauses
// within the sentence, but shortens those longer than the gap plus one second to that length. It holds back
// only such silence and an incomplete block of 10 ms, so audio is not delayed. The output does not depend on
// how the input is split.
type Trimmer struct {
	gap     int // samples of silence that pass without being held back
	most    int // maximum number of samples held back
	block   int // samples
	part    []int16
	held    []int16 // before the first sound the pre-roll, afterwards silence beyond the gap
	fade    int     // samples at the start of held that belong to the end of the gap
	silent  int     // samples of silence since the last sound
	started bool    // sound has begun
	loudest float64 // mean square of the loudest block, relative to full scale 1
}

// NewTrimmer returns a trimmer for one sentence at [SampleRate] that leaves at most gap of silence at its
// end.
func NewTrimmer(gap time.Duration) *Trimmer {
	return &Trimmer{gap: samplesOf(gap), most: samplesOf(longestPause), block: SampleRate / loudnessBlocksPerSecond}
}

func samplesOf(d time.Duration) int { return int(d * SampleRate / time.Second) }

// Process appends to dst the part of the audio that is complete so far, and returns dst. It does not retain
// src.
func (t *Trimmer) Process(dst, src []int16) []int16 {
	t.part = append(t.part, src...)
	dst = slices.Grow(dst, len(t.held)+len(t.part)) // once, instead of block by block
	done := 0
	for ; len(t.part)-done >= t.block; done += t.block {
		dst = t.judge(dst, t.part[done:done+t.block])
	}
	t.part = append(t.part[:0], t.part[done:]...)
	return dst
}

// Flush appends the end of the sentence, faded out if silence was cut, and returns dst. The trimmer must not
// be used afterwards.
func (t *Trimmer) Flush(dst []int16) []int16 {
	if len(t.part) > 0 {
		dst = t.judge(dst, t.part)
	}
	if !t.started {
		return dst
	}
	end := t.held[:t.fade]
	if len(t.held) > t.fade {
		for i, s := range end {
			end[i] = int16(int(s) * (len(end) - i) / (len(end) + 1))
		}
	}
	return append(dst, end...)
}

// judge appends the audible part of a block and of the silence held back before it.
func (t *Trimmer) judge(dst, block []int16) []int16 {
	if t.sounds(block) {
		dst = append(append(dst, t.held...), block...)
		t.held, t.fade, t.silent, t.started = t.held[:0], 0, 0, true
		return dst
	}
	if !t.started {
		t.held = append(t.held, block...)
		t.held = append(t.held[:0], t.held[max(0, len(t.held)-preRoll*t.block):]...)
		return dst
	}
	// Hold back the last block of the gap together with the following samples, because it may
	// have to be faded out.
	passes := min(max(t.gap-t.block-t.silent, 0), len(block))
	t.fade += min(max(t.gap-t.silent-passes, 0), len(block)-passes)
	t.silent += len(block)
	dst, block = append(dst, block[:passes]...), block[passes:]
	t.held = append(t.held, block[:min(len(block), max(0, t.fade+t.most-len(t.held)))]...)
	return dst
}

// sounds reports whether a block is not silence.
func (t *Trimmer) sounds(block []int16) bool {
	var sum float64
	for _, s := range block {
		sum += float64(s) * float64(s)
	}
	square := sum / float64(len(block)) / (1 << 30)
	t.loudest = max(t.loudest, square)
	return square > min(max(t.loudest*decibel(-2*silenceBelow), decibel(2*silenceLeast)), decibel(2*silenceMost))
}
