package play

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/peers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
)

// flite is a provider that speaks through the program of that name, whose path it is.
type flite string

func (flite) Name() string { return "flite" }

func (f flite) Synthesize(ctx context.Context, text string, v tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) { yield(f.speak(ctx, text, v.ID)) }
}

func (f flite) speak(ctx context.Context, text, voice string) (tts.PCM, error) {
	dir, err := os.MkdirTemp("", "flite")
	if err != nil {
		return tts.PCM{}, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "said.wav")
	if out, err := exec.CommandContext(ctx, string(f), "-voice", voice, "-t", text, "-o", path).CombinedOutput(); err != nil {
		return tts.PCM{}, fmt.Errorf("%w: %s", err, out)
	}
	file, err := os.Open(path)
	if err != nil {
		return tts.PCM{}, err
	}
	defer file.Close()
	w, err := audio.ReadWAV(file)
	return tts.PCM{Samples: w.Mono(), Rate: w.Rate}, err
}

// synthesizers are what speaks on this machine, with voices of each.
func synthesizers(t *testing.T) []synthesizer {
	peers.Program(t, "espeak-ng")
	f := flite(peers.Program(t, "flite"))
	return []synthesizer{
		{espeak.New(nil), tts.Voice{}}, {espeak.New(nil), tts.Voice{ID: "de+f3"}}, {espeak.New(nil), tts.Voice{ID: "en-us+whisper"}},
		{f, tts.Voice{ID: "slt"}}, {f, tts.Voice{ID: "rms"}}, {f, tts.Voice{ID: "kal16"}},
	}
}

type synthesizer struct {
	provider tts.Provider
	voice    tts.Voice
}

// sound is a sentence as the provider makes it, at audio.SampleRate.
func (s synthesizer) sound(t *testing.T, text string) (all []int16) {
	t.Helper()
	var c converter
	for pcm, err := range s.provider.Synthesize(t.Context(), text, s.voice) {
		if err != nil {
			t.Fatal(err)
		}
		samples, err := c.convertPCM(pcm)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, samples...)
	}
	return append(all, c.flushRest()...)
}

// peak is the loudest 5 ms of samples, in dBFS.
func peak(samples []int16) float64 {
	most := 1e-10
	for block := range slices.Chunk(samples, 240) {
		var sum float64
		for _, s := range block {
			sum += float64(s) * float64(s)
		}
		most = max(most, sum/240/(1<<30))
	}
	return 10 * math.Log10(most)
}

// quietAtEnd is how long the end of samples is 40 dB or more below their loudest.
func quietAtEnd(samples []int16) time.Duration {
	least := peak(samples) - 40
	end := len(samples)
	for end >= 240 && peak(samples[end-240:end]) < least {
		end -= 240
	}
	return audio.Duration(len(samples)-end, audio.SampleRate)
}

// What is taken from a sentence at either end is silence, also after words that end
// in a hiss or a breath, and what is left of it is a gap.
func TestSilenceOfRealVoicesIsTrimmed(t *testing.T) {
	for _, s := range synthesizers(t) {
		t.Run(s.provider.Name()+"_"+s.voice.ID, func(t *testing.T) {
			var before, after, cut time.Duration
			worst := math.Inf(-1)
			sentences := []string{"Fire in the sheaf!", "The cliffs, if you must know.", "He left with a hiss.", "Is that enough?", "Shush, half a loaf.", "Hush!"}
			for _, text := range sentences {
				raw := s.sound(t, text)
				trim := audio.NewTrimmer(gapAfter(text))
				got := trim.Flush(trim.Process(nil, raw))
				var from int
				for from = 0; from+4800 <= len(raw) && !slices.Equal(raw[from:from+4800], got[:4800]); from++ {
				}
				worst = max(worst, max(peak(raw[:from]), peak(raw[from+len(got):]))-peak(raw))
				before, after, cut = before+quietAtEnd(raw), after+quietAtEnd(got), cut+audio.Duration(from, audio.SampleRate)
				if quietAtEnd(got) > gapAfter(text)+100*time.Millisecond { // what fades away below 40 dB is no silence yet
					t.Errorf("%q ends with %v of silence", text, quietAtEnd(got))
				}
			}
			n := time.Duration(len(sentences))
			t.Logf("silence at the end %v before, %v after; %v taken at the beginning; the loudest of it %.0f dB below the voice", before/n, after/n, cut/n, -worst)
			if worst > -40 {
				t.Errorf("what was cut is only %.0f dB below the voice", -worst)
			}
		})
	}
}
