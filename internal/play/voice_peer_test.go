package play

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
)

// flite is a provider that runs the flite program. Its value is the program's path.
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

// synthesizers returns the synthesizers of this machine, each with several voices.
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

// sound returns the provider's sound of a sentence, at audio.SampleRate.
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

// peak returns the loudest 5 ms of samples, in dBFS.
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

// quietAtEnd returns how long the end of samples is 40 dB or more below their peak.
func quietAtEnd(samples []int16) time.Duration {
	least := peak(samples) - 40
	end := len(samples)
	for end >= 240 && peak(samples[end-240:end]) < least {
		end -= 240
	}
	return audio.Duration(len(samples)-end, audio.SampleRate)
}

// TestSilenceOfRealVoicesIsTrimmed: only silence is cut at either end of a sentence, also after
// words that end in a hiss or a breath, and a gap remains.
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
				if quietAtEnd(got) > gapAfter(text)+100*time.Millisecond { // a fade below 40 dB is not silence yet
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

// replayed is a provider that replays recorded speech, softer by some dB, at a multiple of the
// speed of speech. Speed 0 is immediate.
type replayed struct {
	sounds map[string][]int16
	softer float64
	speed  time.Duration
}

func (replayed) Name() string { return "replayed" }

func (r replayed) Synthesize(ctx context.Context, text string, _ tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		for piece := range slices.Chunk(r.sounds[text], 4800) {
			if r.speed > 0 {
				time.Sleep(100 * time.Millisecond / r.speed)
			}
			if ctx.Err() != nil {
				yield(tts.PCM{}, ctx.Err())
				return
			}
			soft := make([]int16, len(piece))
			for i, s := range piece {
				soft[i] = int16(math.Round(float64(s) * math.Pow(10, -r.softer/20)))
			}
			if !yield(tts.PCM{Samples: soft, Rate: audio.SampleRate}, nil) {
				return
			}
		}
	}
}

// loudness returns the integrated loudness of samples by ffmpeg, in LUFS.
func loudness(t *testing.T, ffmpeg string, samples []int16) float64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), ffmpeg, "-nostdin", "-hide_banner", "-nostats", "-f", "s16le", "-ar", "48000", "-ac", "1", "-i", "-",
		"-filter_complex", "ebur128=framelog=verbose", "-f", "null", "-")
	cmd.Stdin = bytes.NewReader(audio.AppendS16LE(nil, samples))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	summary := string(out[max(0, bytes.LastIndex(out, []byte("  I:"))):])
	var lufs float64
	if _, err := fmt.Sscanf(strings.TrimSpace(summary), "I: %f LUFS", &lufs); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return lufs
}

// TestMeterAgreesWithFFmpeg compares our meter with an independent one.
func TestMeterAgreesWithFFmpeg(t *testing.T) {
	ffmpeg := peers.Program(t, "ffmpeg")
	for _, s := range synthesizers(t) {
		sound := s.sound(t, "The old mill burned down last winter, and nobody knows who did it.")
		got, _ := audio.Gated(audio.NewMeter().Measure(nil, sound))
		if want := loudness(t, ffmpeg, sound); math.Abs(got-want) > 0.2 {
			t.Errorf("%s %s: %.2f LUFS, ffmpeg says %.1f", s.provider.Name(), s.voice.ID, got, want)
		}
	}
}

// TestFirstSentencesAreEquallyLoud: NPCs whose voices differ by 14 LU are equally loud from
// their first sentence on.
func TestFirstSentencesAreEquallyLoud(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	ffmpeg := peers.Program(t, "ffmpeg")
	first := []string{"The old mill burned down last winter, and nobody knows who did it.", "I would not go there alone if I were you."}
	fillers := []string{"Let me think.", "Hm, one moment.", "Well, now."}
	type speaker struct {
		name   string
		sounds map[string][]int16
		soft   bool
	}
	var all []speaker
	for _, s := range synthesizers(t) {
		sounds := map[string][]int16{}
		for _, text := range slices.Concat(first, fillers) {
			sounds[text] = s.sound(t, text)
		}
		all = append(all, speaker{s.provider.Name() + " " + s.voice.ID, sounds, s.voice.ID == "kal16"})
	}
	for _, tt := range []struct {
		name    string
		fillers []string
		speed   time.Duration
		most    float64 // allowed distance from the target, in LU
	}{
		{"with_stock_phrases_at_once", fillers, 0, 1.05},
		{"with_stock_phrases_in_a_stream", fillers, 4, 1.7},
		{"without_stock_phrases_at_once", nil, 0, 1.05},
		{"without_stock_phrases_in_a_stream", nil, 4, 2.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var worst, sum float64
			var n int
			for i, text := range first {
				for _, s := range all {
					for _, softer := range []float64{0, 14} {
						if softer > 0 && s.soft {
							continue // 22 dB below the target otherwise
						}
						var got []int16
						synctest.Test(t, func(t *testing.T) {
							v := &voice{levels: &levels{}, provider: replayed{s.sounds, softer, tt.speed}}
							npc := config.NPC{ID: "bart", Lines: map[string][]string{"filler": tt.fillers}}
							v.warmPhrases(nil, []config.NPC{npc}, "filler")
							v.warming.Wait()
							got = speakSentence(t, v, npc, text)
							if err := v.Close(); err != nil {
								t.Error(err)
							}
						})
						off := loudness(t, ffmpeg, got) + 20
						worst, sum, n = max(worst, math.Abs(off)), sum+math.Abs(off), n+1
						if math.Abs(off) > tt.most {
							t.Errorf("sentence %d of %s, %v dB softer: %.1f LUFS, want -20", i, s.name, softer, off-20)
						}
					}
				}
			}
			t.Logf("%d first sentences are off by %.2f LU on average, %.1f at most", n, sum/float64(n), worst)
		})
	}
}
