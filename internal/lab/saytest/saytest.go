// Package saytest synthesises texts with espeak-ng for tests, and analyses
// sound. Only tests may import it.
package saytest

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Say returns a text in a voice of espeak-ng, at speed words per minute and
// [audio.SampleRate]; a speed of 0 means the default. Errors fail the test.
func Say(t testing.TB, voice string, speed int, text string) []int16 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "said.wav")
	args := []string{"-v", voice, "-w", path}
	if speed > 0 {
		args = append(args, "-s", strconv.Itoa(speed))
	}
	if out, err := exec.Command("espeak-ng", append(args, text)...).CombinedOutput(); err != nil {
		t.Fatalf("espeak-ng: %v: %s; run: make peers", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	wav, err := audio.ReadWAV(f)
	if err != nil {
		t.Fatal(err)
	}
	convert, err := audio.NewResampler(wav.Rate, audio.SampleRate)
	if err != nil {
		t.Fatal(err)
	}
	return convert.Flush(convert.Process(nil, wav.Mono()))
}

// Envelope returns the root mean square of each hop of samples; the last hop
// may be short.
func Envelope(sound []int16, hop int) []float64 {
	var out []float64
	for part := range slices.Chunk(sound, hop) {
		out = append(out, math.Sqrt(Power(part)/float64(len(part))))
	}
	return out
}

// Power returns the sum of the squares of samples.
func Power(sound []int16) (sum float64) {
	for _, v := range sound {
		sum += float64(v) * float64(v)
	}
	return sum
}

// Voiced returns a function that reports whether a value of an envelope is
// voice: at most 35 dB softer than the loudest value.
func Voiced(envelope []float64) func(float64) bool {
	const below = 35
	floor := slices.Max(envelope) * math.Pow(10, -below/20.0)
	return func(v float64) bool { return v >= floor }
}

// Span returns the first and last index for which the function is true, or -1
// and -1.
func Span[T any](all []T, is func(T) bool) (first, last int) {
	first, last = slices.IndexFunc(all, is), len(all)-1
	for last >= 0 && !is(all[last]) {
		last--
	}
	return first, last
}

// Tone returns the amplitude of a tone, in Hz, in a sound with rate samples a
// second.
func Tone(sound []int16, pitch, rate float64) float64 {
	turn := 2 * math.Cos(2*math.Pi*pitch/rate)
	one, two := 0.0, 0.0
	for _, v := range sound {
		one, two = float64(v)+turn*one-two, one
	}
	return 2 * math.Sqrt(max(one*one+two*two-turn*one*two, 0)) / float64(len(sound))
}
