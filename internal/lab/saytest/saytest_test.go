package saytest

import (
	"math"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestWhatASoundIsLike(t *testing.T) {
	sound := make([]int16, audio.SampleRate)
	for i := 1000; i < 30_000; i++ {
		sound[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/audio.SampleRate))
	}
	inside := sound[2000:20_000]
	if got := Tone(inside, 440, audio.SampleRate); math.Abs(got-8000) > 100 {
		t.Errorf("the tone has an amplitude of %.0f, want about 8000", got)
	}
	if got := Tone(inside, 1000, audio.SampleRate); got > 100 {
		t.Errorf("a tone that is not there has an amplitude of %.0f", got)
	}
	const hop = 480
	env := Envelope(sound, hop)
	if got, want := env[20], 8000/math.Sqrt2; math.Abs(got-want) > want/20 || env[0] != 0 {
		t.Errorf("envelope = %.0f inside, %.0f before, want %.0f and none", got, env[0], want)
	}
	first, last := Span(env, Voiced(env))
	if first != 1000/hop || last != 29_999/hop {
		t.Errorf("the voice is in hops %d to %d, want %d to %d", first, last, 1000/hop, 29_999/hop)
	}
	if first, last := Span(env, func(v float64) bool { return v > 1e6 }); first != -1 || last != -1 {
		t.Errorf("of nothing the span is %d to %d, want -1 to -1", first, last)
	}
}

func TestSay(t *testing.T) {
	slow, fast := Say(t, "en-gb", 100, "Two ales, please."), Say(t, "en-gb", 250, "Two ales, please.")
	if len(fast) < audio.SampleRate/4 || len(slow) < len(fast)*3/2 {
		t.Errorf("said slowly it has %d samples, fast %d", len(slow), len(fast))
	}
}
