package waveform

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// loud is the level of samples in a clip that are found again above the
// microphone's own noise.
const loud = 400

// clip is a line of speech, or another sound of a throat.
type clip struct {
	// text is its transcript.
	text  string
	sound []int16 // at the rate of the program's frames
	// words are the parts of text and their ends, relative to voice.
	words []rig.Word
	// first and last are the first and last loud sample, voice and silence the
	// beginning and end of the voice.
	first, last, voice, silence int
	// mark is the end of the interrupting words, or 0.
	mark     int
	envelope []float64
}

const (
	// level is the peak of a clip, in dBFS.
	level = -9
	// hop is the unit in which loudness is measured.
	hop = audio.SampleRate / 100
)

func newClip(text string, sound []int16) clip {
	c := clip{text: text, sound: normalise(sound)}
	c.first, c.last = saytest.Span(c.sound, isLoud)
	c.envelope = saytest.Envelope(c.sound, hop)
	first, last := saytest.Span(c.envelope, saytest.Voiced(c.envelope))
	c.voice, c.silence = first*hop, (last+1)*hop
	c.words = rig.SpreadWords(text, audio.Duration(c.silence-c.voice, audio.SampleRate))
	return c
}

func normalise(sound []int16) []int16 {
	most := 1.0
	for _, v := range sound {
		most = max(most, math.Abs(float64(v)))
	}
	out, gain := make([]int16, len(sound)), rig.Amplitude(level)/most
	for i, v := range sound {
		out[i] = int16(float64(v) * gain)
	}
	return out
}

// trimmed returns a sound without the silence around it.
func trimmed(sound []int16) []int16 {
	c := newClip("", sound)
	return sound[c.voice:c.silence]
}

// interruption says a call, a pause and a name.
func interruption(t *testing.T, voice, call, name string) clip {
	sound := trimmed(saytest.Say(t, voice, 160, call))
	end, text := len(sound), call
	if name != "" {
		sound = append(sound, make([]int16, rig.SamplesIn(80*time.Millisecond))...)
		sound = append(sound, trimmed(saytest.Say(t, voice, 160, name))...)
		text += " " + name
	}
	c := newClip(text, sound)
	c.mark = end
	if name != "" { // the words have the times of their sound
		call, whole := rig.SpreadWords(call, audio.Duration(end-c.voice, audio.SampleRate)), audio.Duration(c.silence-c.voice, audio.SampleRate)
		c.words = append(call, rig.Word{Text: name, End: whole})
	}
	return c
}

// understand returns, like a perfect recogniser, the words whose end is in a
// sound of c at a rate.
func (c clip) understand(sound []int16, rate int) string {
	heard := saytest.Envelope(sound, rate/100)
	if len(heard) == 0 || slices.Max(heard) < loud/2 {
		return ""
	}
	at, least := 0, math.Inf(1)
	for shift := -len(heard); shift <= len(c.envelope); shift++ {
		apart := 0.0
		for i, v := range heard {
			of := 0.0
			if k := i + shift; k >= 0 && k < len(c.envelope) {
				of = c.envelope[k]
			}
			if apart += math.Abs(v - of); apart >= least {
				break
			}
		}
		if apart < least {
			at, least = shift, apart
		}
	}
	const frame = audio.FrameDuration / 2
	from, to := time.Duration(at+1)*frame, time.Duration(at+len(heard)+1)*frame
	begin := audio.Duration(c.voice, audio.SampleRate)
	var said []string
	for _, w := range c.words {
		if end := begin + w.End; from < end && end <= to {
			said = append(said, w.Text)
		}
	}
	return strings.Join(said, " ")
}
