//go:build unix

package main_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// phrasebook is the list of players' phrases in a test. Under the voice lie two
// tones: one identifies the phrase, and one that rises gives the position in
// it. From them the fake recogniser knows the words, in any voice, at any time,
// and in any number of pieces.
type phrasebook []string

// The tones, in Hz, where a voice has little energy. A book has at most twelve
// phrases.
const (
	firstPhraseTone = 2500
	phraseToneStep  = 125
	placeTone       = 4500
	placeTones      = 2000 // range over which the second tone rises
	placeStep       = 50
)

func phraseTone(n int) float64 { return firstPhraseTone + phraseToneStep*float64(n) }

// phraseWindow is the length of sound that identifies a tone, in samples at
// [fakestt.Rate].
const phraseWindow = fakestt.Rate / 20

// understand returns the words that end in a sound, as a perfect recogniser
// would.
func (b phrasebook) understand(sound []int16) string {
	which, from := -1, 0.0
	for ; which < 0 && len(sound) >= phraseWindow; sound = sound[phraseWindow/2:] {
		which, from = b.placeIn(sound[:phraseWindow])
	}
	if which < 0 {
		return ""
	}
	to := from
	for end := len(sound); end >= phraseWindow; end -= phraseWindow / 2 {
		if again, place := b.placeIn(sound[end-phraseWindow : end]); again == which {
			to = place
			break
		}
	}
	// A word counts where its end is heard. Positions are exact to a few
	// hundredths, so speech with gaps from a busy machine may repeat a word.
	words := strings.Fields(b[which])
	letters, heard := 0, []string{}
	for _, w := range words {
		letters += len(w)
		if end := float64(letters) / float64(len(b[which])-len(words)+1); end > from && end <= to+0.06 {
			heard = append(heard, w)
		}
	}
	return strings.Join(heard, " ")
}

// placeIn returns the phrase in a window, or -1, and the position in it, from 0
// to 1.
func (b phrasebook) placeIn(window []int16) (which int, place float64) {
	if slices.Max(window) < 300 {
		return -1, 0
	}
	best, second := 0.0, 0.0
	for n := range b {
		switch p := saytest.Tone(window, phraseTone(n), fakestt.Rate); {
		case p > best:
			best, second, which = p, best, n
		case p > second:
			second = p
		}
	}
	if best < 250 || best < 2.5*second {
		return -1, 0
	}
	loudest := 0.0
	for rise := 0.0; rise <= placeTones; rise += placeStep {
		if p := saytest.Tone(window, placeTone+rise, fakestt.Rate); p > loudest {
			loudest, place = p, rise/placeTones
		}
	}
	return which, place
}

// sayings returns a book's phrases as a client sends them, spoken without a
// pause: the last frame of each contains the end of the voice.
func (b phrasebook) sayings(t testing.TB) map[string][][]byte {
	t.Helper()
	lib, err := opus.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 12 {
		t.Fatalf("a book of %d phrases", len(b))
	}
	all := map[string][][]byte{}
	for n, text := range b {
		if text == "" {
			continue
		}
		enc, err := opus.NewEncoder(lib, &opus.EncoderOptions{Bitrate: 64000, Audio: true})
		if err != nil {
			t.Fatal(err)
		}
		sound := spoken(t, strings.Map(func(r rune) rune {
			if strings.ContainsRune(",.?!:", r) {
				return -1
			}
			return r
		}, text))
		for i := range sound {
			at, long := float64(i)/audio.SampleRate, float64(len(sound))/audio.SampleRate
			tones := math.Sin(2*math.Pi*phraseTone(n)*at) + math.Sin(2*math.Pi*(placeTone*at+placeTones*at*at/long/2))
			sound[i] = int16(float64(sound[i])*0.8 + 1200*tones)
		}
		for chunk := range slices.Chunk(sound, audio.FrameSamples) {
			var frame audio.Frame
			copy(frame[:], chunk)
			payload, err := enc.Encode(nil, &frame)
			if err != nil {
				t.Fatal(err)
			}
			all[text] = append(all[text], payload)
		}
	}
	return all
}

// spoken returns a text in espeak-ng's voice, from its first sound to its last.
func spoken(t testing.TB, text string) []int16 {
	t.Helper()
	sound := saytest.Say(t, "en-gb", 0, text)
	first, last := saytest.Span(sound, func(v int16) bool { return v > 800 || v < -800 })
	if first < 0 {
		t.Fatalf("espeak-ng says nothing for %q", text)
	}
	return sound[first : last+1]
}

// purity is a voice for [fakeopenai.Options]: a tone with a frame of 20 ms for
// each character.
func purity(pitch float64, text string) []int16 {
	out := make([]int16, len(text)*fakeopenai.SpeechRate/50)
	for i := range out {
		out[i] = int16(8000 * math.Sin(2*math.Pi*pitch*float64(i)/fakeopenai.SpeechRate))
	}
	return out
}

// TestPhrasebook recognises phrases in pieces, as they arrive.
func TestPhrasebook(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	book := phrasebook{"Bartok, what do the annals say?", "Who wants pizza?", "Hold on, Bartok!", "", "", "", "", "", "", "", "", "Raise Bartok to deep."}
	lib, err := opus.Load()
	if err != nil {
		t.Fatal(err)
	}
	for text, frames := range book.sayings(t) {
		d, err := opus.NewDecoder(lib)
		if err != nil {
			t.Fatal(err)
		}
		r, err := audio.NewResampler(audio.SampleRate, fakestt.Rate)
		if err != nil {
			t.Fatal(err)
		}
		var sound []int16
		for _, payload := range frames {
			var f audio.Frame
			if err := d.Decode(&f, payload); err != nil {
				t.Fatal(err)
			}
			sound = r.Process(sound, f[:])
		}
		sound = append(r.Flush(sound), make([]int16, fakestt.Rate/2)...)
		if got := book.understand(sound); got != text {
			t.Errorf("%q is understood as %q", text, got)
		}
		half := len(sound) / 3
		if first, rest := book.understand(sound[:half]), book.understand(sound[half:]); first == "" || first+" "+rest != text {
			t.Errorf("%q is understood as %q and %q", text, first, rest)
		}
	}
	if got := book.understand(make([]int16, fakestt.Rate)); got != "" {
		t.Errorf("silence is understood as %q", got)
	}
}
