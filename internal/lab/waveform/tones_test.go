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

// An answer's voice is a tone for each word: the word's index in the answer
// gives the pitch, so that the recording shows which words were heard, and how
// often.
const (
	wordTone = 240 * time.Millisecond // followed by 10 ms of silence
	wordLong = 250 * time.Millisecond
	lowest   = 400.0 // Hz
	apart    = 90.0
	// otherTone is the tone of all words outside the answer.
	otherTone = 3500.0
	mostWords = 30
	// other is the index of such words.
	other = mostWords
)

// wordsOf returns the words of a text as passed to its voice.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !(r >= 'a' && r <= 'z') })
}

func pitchOf(place int) float64 {
	if place == other {
		return otherTone
	}
	return lowest + apart*float64(place)
}

// tones returns a text in an answer's voice.
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
	// audible is the smallest audible sample, -60 dBFS.
	audible = 33
	// window is the length in which a tone is recognised, and windowStep the
	// distance between windows.
	window     = audio.SampleRate / 50
	windowStep = window / 2
)

// run is a stretch of one tone, or of silence.
type run struct {
	place    int // index of the word, or silent
	from, to int // samples
	level    float64
}

const silent = -1

// runsOf returns the tones of a recording, in order.
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

// toneOf returns the word with the strongest tone, and the loudness of the
// sound.
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

// heard returns how long each word of an answer was heard, in order, and
// whether a word came after a later one.
func heard(runs []run, words int) (long []time.Duration, again bool) {
	long = make([]time.Duration, words)
	last := 0
	for _, r := range runs {
		if r.place < 0 || r.place >= words || r.to-r.from < 3*windowStep { // two tones share a window
			continue
		}
		long[r.place] += audio.Duration(r.to-r.from-windowStep, audio.SampleRate)
		again = again || r.place < last
		last = r.place
	}
	return long, again
}
