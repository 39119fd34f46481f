package audio

import (
	"slices"
	"time"
)

const (
	// A block of 10 ms is silence if it is so far below the loudest before it, in
	// dB: soft consonants and breaths are 20 to 40 below, noise of synthesis more.
	silenceBelow = 46
	// Whatever a voice's level, what is softer than silenceLeast is silence, and what
	// is louder than silenceMost is none, in dBFS.
	silenceLeast, silenceMost = -64, -50
	// preRoll is how many blocks are kept before the first that sounds: consonants
	// begin softly.
	preRoll = 3
	// longestPause is how much silence is held back, beyond the gap, until it is known
	// whether the sentence goes on.
	longestPause = time.Second
)

// Trimmer takes from the sound of one sentence the silence before it, and what follows
// it beyond a gap. Pauses within it stay as they are; those longer than the gap and
// a second more are shortened to that. It holds back nothing but such silence and an
// incomplete block of 10 ms, so that sound is not delayed. Its output does not
// depend on how the input is cut.
type Trimmer struct {
	gap     int // samples of silence that pass without being held back
	most    int // samples that are held back
	block   int // samples
	part    []int16
	held    []int16 // before the first sound the pre-roll, then silence beyond the gap
	fade    int     // samples of held that belong to the gap, at its end
	silent  int     // samples of silence since the last sound
	begun   bool    // something sounded
	loudest float64 // mean square of the loudest block, of full scale 1
}

// NewTrimmer returns a trimmer for the sound of one sentence at [SampleRate] that
// leaves gap of silence at its end, if it has as much.
func NewTrimmer(gap time.Duration) *Trimmer {
	return &Trimmer{gap: samplesOf(gap), most: samplesOf(longestPause), block: SampleRate / loudnessBlocksPerSecond}
}

func samplesOf(d time.Duration) int { return int(d * SampleRate / time.Second) }

// Process appends to dst what of src is to be heard by now and returns it. It keeps no
// reference to src.
func (t *Trimmer) Process(dst, src []int16) []int16 {
	t.part = append(t.part, src...)
	dst = slices.Grow(dst, len(t.held)+len(t.part)) // at once, and not block by block
	done := 0
	for ; len(t.part)-done >= t.block; done += t.block {
		dst = t.judge(dst, t.part[done:done+t.block])
	}
	t.part = append(t.part[:0], t.part[done:]...)
	return dst
}

// Flush appends the end of the sentence, faded out where silence was cut, and returns
// it. The trimmer is not used afterwards.
func (t *Trimmer) Flush(dst []int16) []int16 {
	if len(t.part) > 0 {
		dst = t.judge(dst, t.part)
	}
	if !t.begun {
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

// judge appends what of a block, and of what was held back before it, is to be heard.
func (t *Trimmer) judge(dst, block []int16) []int16 {
	if t.sounds(block) {
		dst = append(append(dst, t.held...), block...)
		t.held, t.fade, t.silent, t.begun = t.held[:0], 0, 0, true
		return dst
	}
	if !t.begun {
		t.held = append(t.held, block...)
		t.held = append(t.held[:0], t.held[max(0, len(t.held)-preRoll*t.block):]...)
		return dst
	}
	// The last block of the gap waits with what is beyond it, for it may have to fade.
	passes := min(max(t.gap-t.block-t.silent, 0), len(block))
	t.fade += min(max(t.gap-t.silent-passes, 0), len(block)-passes)
	t.silent += len(block)
	dst, block = append(dst, block[:passes]...), block[passes:]
	t.held = append(t.held, block[:min(len(block), max(0, t.fade+t.most-len(t.held)))]...)
	return dst
}

// sounds reports whether a block is no silence.
func (t *Trimmer) sounds(block []int16) bool {
	var sum float64
	for _, s := range block {
		sum += float64(s) * float64(s)
	}
	square := sum / float64(len(block)) / (1 << 30)
	t.loudest = max(t.loudest, square)
	return square > min(max(t.loudest*decibel(-2*silenceBelow), decibel(2*silenceLeast)), decibel(2*silenceMost))
}
