package waveform

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// An answer's voice is a tone for each word: its place in the answer gives the pitch, so
// that the recording tells which words were heard, and how often.
const (
	wordTone = 240 * time.Millisecond // and 10 ms of silence
	wordLong = 250 * time.Millisecond
	lowest   = 400.0 // Hz
	apart    = 90.0
	// otherTone is what all words have that are not of the answer.
	otherTone = 3500.0
	mostWords = 30
	// other is the place of such words.
	other = mostWords
)

// wordsOf are the words of a text as its voice is given them.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !(r >= 'a' && r <= 'z') })
}

func pitchOf(place int) float64 {
	if place == other {
		return otherTone
	}
	return lowest + apart*float64(place)
}

// tones is a text in the voice of an answer.
func tones(answer, text string) []int16 {
	places := wordsOf(answer)
	var out []int16
	for _, word := range wordsOf(text) {
		place := slices.Index(places, word)
		if place < 0 {
			place = other
		}
		long := int(wordTone * fakeopenai.SpeechRate / time.Second)
		for i := range int(wordLong * fakeopenai.SpeechRate / time.Second) {
			edge := min(1, float64(i)/100, float64(long-i)/100)
			out = append(out, int16(8000*max(0, edge)*math.Sin(2*math.Pi*pitchOf(place)*float64(i)/fakeopenai.SpeechRate)))
		}
	}
	return out
}

const (
	// audible is the least sample that is heard, -60 dBFS.
	audible = 33
	// window is what a tone is told in, and how far apart windows begin.
	window     = audio.SampleRate / 50
	windowStep = window / 2
)

// run is a tone that was heard, or silence.
type run struct {
	place    int // of the word; silent if nothing was heard
	from, to int // samples
	level    float64
}

const silent = -1

// runsOf tells the tones of a recording, in their order.
func runsOf(sound []int16) []run {
	var out []run
	for at := 0; at+window <= len(sound); at += windowStep {
		place, level := toneOf(sound[at : at+window])
		if n := len(out); n > 0 && out[n-1].place == place {
			out[n-1].to = at + window
			out[n-1].level = max(out[n-1].level, level)
			continue
		}
		out = append(out, run{place, at, at + window, level})
	}
	return out
}

// toneOf tells which word's tone is the strongest, and how loud the sound is.
func toneOf(sound []int16) (place int, level float64) {
	level = math.Sqrt(saytest.Power(sound) / float64(len(sound)))
	if level < audible {
		return silent, level
	}
	most := 0.0
	for k := range mostWords + 1 {
		if tone := saytest.Tone(sound, pitchOf(k), audio.SampleRate); tone > most {
			most, place = tone, k
		}
	}
	return place, level
}

// heard is how long each word of an answer was heard, in its order, and whether one came
// after a later one.
func heard(runs []run, words int) (long []time.Duration, again bool) {
	long = make([]time.Duration, words)
	last := 0
	for _, r := range runs {
		if r.place < 0 || r.place >= words || r.to-r.from < 3*windowStep { // two tones meet in a window
			continue
		}
		long[r.place] += audio.Duration(r.to-r.from-windowStep, audio.SampleRate)
		again = again || r.place < last
		last = r.place
	}
	return long, again
}
