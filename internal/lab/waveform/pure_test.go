package waveform

import (
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestTones checks that a recording shows which words were heard, including cut
// and repeated ones.
func TestTones(t *testing.T) {
	const answer = "Aye, I keep a quiet room upstairs."
	sound := audible48(t, tones(answer, answer))
	word := rig.SamplesIn(wordLong)
	for _, row := range []struct {
		name   string
		sound  []int16
		whole  []int // indices of the words heard to their end
		partly []int
		again  bool
	}{
		{"all", sound, []int{0, 1, 2, 3, 4, 5, 6}, nil, false},
		{"cut", sound[:word*5/2], []int{0, 1}, []int{2}, false},
		{"paused", slices.Concat(sound[:word*5/2], make([]int16, word), sound[word*5/2:]), []int{0, 1, 2, 3, 4, 5, 6}, nil, false},
		{"begun again", slices.Concat(sound[:word*5/2], sound), []int{0, 1, 2, 3, 4, 5, 6}, nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			long, again := heard(runsOf(row.sound), 7)
			if again != row.again {
				t.Errorf("again = %v", again)
			}
			for i, d := range long {
				whole := d >= wordTone-30*time.Millisecond
				if whole != slices.Contains(row.whole, i) || (d > 0) != (whole || slices.Contains(row.partly, i)) {
					t.Errorf("word %d was heard for %v", i, d)
				}
			}
		})
	}
}

// audible48 returns a sound at the recording's rate.
func audible48(t *testing.T, sound []int16) []int16 {
	convert, err := audio.NewResampler(fakeopenai.SpeechRate, audio.SampleRate)
	if err != nil {
		t.Fatal(err)
	}
	return convert.Flush(convert.Process(nil, sound))
}

// TestUnderstand checks that the words in a piece of a clip are found, wherever
// it was cut.
func TestUnderstand(t *testing.T) {
	var sound []int16
	for i, d := range []time.Duration{200, 350, 150, 400, 250} { // syllables differ
		sound = append(sound, rig.Speech(float64(100+20*i), d*time.Millisecond, -12-3*float64(i%3))...)
		sound = append(sound, make([]int16, rig.SamplesIn(30*time.Millisecond))...)
	}
	c := newClip("one two three four five", sound)
	quiet := make([]int16, rig.SamplesIn(300*time.Millisecond))
	for _, row := range []struct {
		name  string
		sound []int16
		want  string
	}{
		{"nothing", quiet, ""},
		{"all, with silence around", slices.Concat(quiet, c.sound, quiet), "one two three four five"},
		{"begun", slices.Concat(quiet, c.sound[:len(c.sound)/2]), "one two"},
		{"the rest", slices.Concat(c.sound[len(c.sound)/2:], quiet), "three four five"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := c.understand(row.sound, audio.SampleRate); got != row.want {
				t.Errorf("understood %q, want %q", got, row.want)
			}
		})
	}
	if c.voice > rig.SamplesIn(20*time.Millisecond) || c.silence < len(c.sound)-rig.SamplesIn(60*time.Millisecond) {
		t.Errorf("the voice is from sample %d to %d of %d", c.voice, c.silence, len(c.sound))
	}
}
