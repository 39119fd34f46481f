package audio_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const gap = 150 * time.Millisecond

// level returns d of a square wave.
func level(amplitude int16, d time.Duration) []int16 {
	out := make([]int16, int(d*audio.SampleRate/time.Second))
	for i := range out {
		out[i] = amplitude * int16(1-2*(i/40%2))
	}
	return out
}

func trim(pieces ...[]int16) []int16 {
	t := audio.NewTrimmer(gap)
	var out []int16
	for _, p := range pieces {
		out = t.Process(out, p)
	}
	return t.Flush(out)
}

func TestTrimmer(t *testing.T) {
	const ms = time.Millisecond
	loud, soft, hiss := int16(8000), int16(60), int16(4) // -12, -55, -78 dBFS
	silence := func(d time.Duration) []int16 { return level(0, d) }
	for _, tt := range []struct {
		name string
		in   [][]int16
		want time.Duration
	}{
		{"before_and_after", [][]int16{silence(220 * ms), level(loud, 500*ms), silence(300 * ms)}, 30*ms + 500*ms + gap},
		{"noise_is_silence", [][]int16{level(hiss, 220*ms), level(loud, 500*ms), level(hiss, 300*ms)}, 30*ms + 500*ms + gap},
		{"a_shorter_gap_stays", [][]int16{level(loud, 500*ms), silence(100 * ms)}, 600 * ms},
		{"a_soft_consonant_at_either_end", [][]int16{level(soft, 80*ms), level(loud, 500*ms), level(soft, 80*ms), silence(300 * ms)}, 660*ms + gap},
		{"a_pause_within", [][]int16{level(loud, 500*ms), silence(900 * ms), level(loud, 500*ms)}, 1900 * ms},
		{"a_breath_after_a_pause", [][]int16{level(loud, 500*ms), silence(400 * ms), level(soft, 100*ms), silence(400 * ms)}, 1000*ms + gap},
		{"a_pause_without_end", [][]int16{level(loud, 500*ms), silence(time.Minute), level(loud, 500*ms)}, time.Second + gap + time.Second},
		{"silence_without_end", [][]int16{level(loud, 500*ms), silence(time.Minute)}, 500*ms + gap},
		{"a_soft_voice", [][]int16{level(300, 500*ms), level(hiss, 400*ms)}, 500*ms + gap},
		{"nothing_but_silence", [][]int16{silence(time.Second)}, 0},
		{"nothing", nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := audio.Duration(len(trim(tt.in...)), audio.SampleRate); got != tt.want {
				t.Errorf("%v are left, want %v", got, tt.want)
			}
		})
	}
}

// Cut silence leaves no click, and uncut sound is unchanged.
func TestTrimmerFadesWhatItCuts(t *testing.T) {
	voice, hiss := level(8000, 500*time.Millisecond), level(20, time.Second)
	got := trim(voice, hiss)
	if last := got[len(got)-1]; last != 0 {
		t.Errorf("the last sample is %d, want 0", last)
	}
	if keep := len(got) - 480; !slices.Equal(got[:keep], slices.Concat(voice, hiss)[:keep]) {
		t.Error("more than the last 10 ms changed")
	}
	whole := slices.Concat(voice, hiss[:4800], voice)
	if !slices.Equal(trim(whole), whole) {
		t.Error("a sentence without silence at its ends changed")
	}
}

// Only silence is held back, never sound.
func TestTrimmerDelaysNoSound(t *testing.T) {
	tr := audio.NewTrimmer(gap)
	voice := level(8000, 100*time.Millisecond)
	if got := tr.Process(nil, voice); !slices.Equal(got, voice) {
		t.Errorf("%d samples came of %d", len(got), len(voice))
	}
	quiet := make([]int16, audio.SampleRate)
	if got := tr.Process(nil, quiet); len(got) != 7200-480 {
		t.Errorf("%d samples of the gap came", len(got))
	}
	passed := 7200 - 480 // the gap without the part that would be faded
	if got := tr.Process(nil, voice); len(got) != len(quiet)-passed+len(voice) {
		t.Errorf("%d samples came with the next word, want the rest of the pause before it", len(got))
	}
}

func TestTrimmerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in []int16
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			amplitude := rapid.SampledFrom([]int16{0, 3, 20, 100, 3000, 20000}).Draw(t, "amplitude")
			in = append(in, level(amplitude, time.Duration(rapid.IntRange(0, 700).Draw(t, "ms"))*time.Millisecond)...)
		}
		want := trim(in)
		var pieces [][]int16
		for rest := in; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if !slices.Equal(trim(pieces...), want) {
			t.Fatal("the output depends on how the input is cut")
		}
		if len(want) > len(in) {
			t.Fatalf("%d samples of %d", len(want), len(in))
		}
	})
}
