package ear_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// required makes a test fail if a peer is missing.
const required = "GLYPHOXA_REQUIRE_PEERS"

// speak has espeak-ng say text, and trims the silence around it. Without espeak-ng the
// test is skipped, or fails where all peers are required.
func speak(t *testing.T, voice, text string) clip {
	t.Helper()
	path, err := exec.LookPath("espeak-ng")
	if err != nil {
		if os.Getenv(required) == "1" {
			t.Fatalf("%v, and %s=1 demands it; run: make peers", err, required)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	out, err := exec.CommandContext(t.Context(), path, "-v", voice, "--stdout", text).Output()
	if err != nil {
		t.Fatal(err)
	}
	wav, err := audio.ReadWAV(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	r, err := audio.NewResampler(wav.Rate, audio.SampleRate)
	if err != nil {
		t.Fatal(err)
	}
	return trim(r.Flush(r.Process(nil, wav.Mono())))
}

func trim(c clip) clip {
	loud := func(s int16) bool { return s > 300 || s < -300 }
	for len(c) > 0 && !loud(c[0]) {
		c = c[1:]
	}
	for len(c) > 0 && !loud(c[len(c)-1]) {
		c = c[:len(c)-1]
	}
	return c
}

// gain changes a clip's level by dB.
func gain(c clip, dB float64) clip {
	out := make(clip, len(c))
	for i, s := range c {
		out[i] = int16(max(-32768, min(32767, float64(s)*level(dB)/level(0))))
	}
	return out
}

// Sentences of real phonemes are one utterance each, at any level. The sound begins
// before and ends after the speech.
func TestSpokenSentences(t *testing.T) {
	for _, tt := range []struct{ name, voice, text string }{
		{"english", "en-gb", "Mira, have you seen the smuggler with the silver ring?"},
		{"german", "de", "Greta, weißt du, wo der Schmied seinen Schlüssel versteckt hat?"},
		{"high", "en-us+f3", "I would like to speak to Bart, please."},
		{"sibilants", "en-gb", "She sells six thick thistle sticks, says Mister Smith."},
		{"yes", "en-gb", "Yes."},
		{"no", "en-gb", "No!"},
		{"stop", "en-us", "Stop it!"},
	} {
		for _, dB := range []float64{0, -15, -27} {
			t.Run(fmt.Sprintf("%s/%v_dB", tt.name, dB), func(t *testing.T) {
				said := gain(speak(t, tt.voice, tt.text), dB)
				length := time.Duration(len(said)) * time.Second / audio.SampleRate
				b := newTable(ear.NewEnergy(), nil)
				b.play(room(join(silence(time.Second), said, silence(2*time.Second))))
				wantEvents(t, b, time.Second, time.Second+length)
			})
		}
	}
}

// Real phonemes over the noises of a player's room.
func TestSpokenOverNoise(t *testing.T) {
	said := speak(t, "en-gb", "Mira, have you seen the smuggler with the silver ring?")
	length := time.Duration(len(said)) * time.Second / audio.SampleRate
	all := length + 4*time.Second
	for _, tt := range []struct {
		name  string
		noise clip
	}{
		{"fan", noise(all, -42, 1)},
		{"hum", hum(all, -20)},
		{"buzz", buzz(all, 100, -42)},
		{"street", rumble(all, -45)},
		{"keyboard", typing(all)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTable(ear.NewEnergy(), nil)
			b.play(over(join(silence(2*time.Second), said, silence(2*time.Second)), tt.noise))
			wantEvents(t, b, 2*time.Second, 2*time.Second+length)
		})
	}
}

// wantEvents checks for one utterance spoken between from and to.
func wantEvents(t *testing.T, b *table, from, to time.Duration) {
	t.Helper()
	if b.count(ear.VoiceStarted) != 1 || b.count(ear.UtteranceEnded) != 1 {
		t.Fatalf("want one utterance, heard %s", b.story())
	}
	begin := b.events[0].At.Sub(epoch)
	if begin < from-20*laneTick || begin > from+280*laneTick {
		t.Errorf("began at %v, want %v and no more than the pre-roll later", begin, from)
	}
	end := b.events[len(b.events)-1]
	if got := end.At.Sub(epoch); got < to || got > to+700*laneTick {
		t.Errorf("ended at %v, want up to 700 ms after %v", got, to)
	}
}
