package ear_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// webrtc returns WebRTC's detector. Without its library the test is skipped, or fails
// where all peers are required.
func webrtc(t testing.TB) ear.Detector {
	t.Helper()
	d, err := vad.NewWebRTC(vad.Aggressive)
	if err != nil {
		if os.Getenv(required) == "1" {
			t.Fatalf("%v, and %s=1 demands it; run: make peers", err, required)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	return d
}

// contestant is a detector for transports that send continuously.
type contestant struct {
	name string
	open func(testing.TB) ear.Detector
}

var contestants = []contestant{
	{"energy", func(testing.TB) ear.Detector { return ear.NewEnergy() }},
	{"webrtc", webrtc},
	{"silero", openModel},
}

// whisper removes the pitch of c: noise in ten bands as loud as in c, with little bass.
// rms is in dBFS.
func whisper(c clip, rms float64) clip {
	edges := []float64{200, 400, 600, 850, 1150, 1550, 2100, 2800, 3700, 5000, 7500}
	r := rand.New(rand.NewPCG(9, 9))
	sum := make([]float64, len(c))
	for k, low := range edges[:len(edges)-1] {
		width, mid := edges[k+1]-low, math.Sqrt(low*edges[k+1])
		said, breath := newBandPass(mid, width), newBandPass(mid, width)
		gain, envelope := min(1, mid/1500)/math.Sqrt(width), 0.0
		for i, s := range c {
			envelope += 0.003 * (math.Abs(said(float64(s))) - envelope)
			sum[i] += gain * envelope * breath(r.NormFloat64())
		}
	}
	power := 0.0
	for _, v := range sum {
		power += v * v
	}
	scale := level(rms) / math.Sqrt(power/float64(len(sum)))
	out := make(clip, len(c))
	for i, v := range sum {
		out[i] = int16(max(-32768, min(32767, v*scale)))
	}
	return out
}

// newBandPass returns a second-order band-pass filter.
func newBandPass(mid, width float64) func(float64) float64 {
	w := 2 * math.Pi * mid / audio.SampleRate
	alpha := math.Sin(w) * width / (2 * mid)
	var x1, x2, y1, y2 float64
	return func(x float64) float64 {
		y := (alpha*(x-x2) + 2*math.Cos(w)*y1 - (1-alpha)*y2) / (1 + alpha)
		x2, x1, y2, y1 = x1, x, y1, y
		return y
	}
}

// knocks are three knocks at a door.
func knocks(peak float64) clip {
	one := make(clip, samples(120*laneTick))
	for i := range one {
		t := float64(i) / audio.SampleRate
		one[i] = int16(level(peak) * math.Exp(-t/0.02) * math.Sin(2*math.Pi*140*t))
	}
	return join(one, silence(100*laneTick), one, silence(100*laneTick), one)
}

// breath is one breath into the microphone.
func breath(dB float64) clip {
	out := rumble(700*laneTick, dB)
	for i := range out {
		out[i] = int16(float64(out[i]) * math.Sin(math.Pi*float64(i)/float64(len(out))))
	}
	return out
}

// The number of utterances that each detector starts on noises.
func TestDetectorsOnNoises(t *testing.T) {
	after := func(c clip) clip { return join(silence(2*time.Second), c, silence(2*time.Second)) }
	for _, tt := range []struct {
		name  string
		sound clip
		want  [3]int // by contestant
	}{
		{"room", silence(10 * time.Second), [3]int{0, 0, 0}},
		{"click", after(click(50*laneTick, -3, 3)), [3]int{0, 1, 0}},
		{"keyboard", typing(10 * time.Second), [3]int{0, 0, 0}},
		{"hum", hum(10*time.Second, -20), [3]int{0, 0, 0}},
		{"fan", noise(10*time.Second, -38, 9), [3]int{0, 0, 0}},
		{"quiet_buzz", buzz(10*time.Second, 100, -40), [3]int{0, 0, 0}},
		{"loud_buzz", after(buzz(10*time.Second, 100, -25)), [3]int{1, 1, 0}},
		{"cough", after(cough(-12, 5)), [3]int{0, 1, 0}},
		{"knocks", after(knocks(-6)), [3]int{0, 1, 0}},
		{"breath", after(breath(-24)), [3]int{0, 1, 0}},
		{"fan_switched_on", after(noise(10*time.Second, -38, 9)), [3]int{0, 1, 0}},
		{"street", rumble(15*time.Second, -40), [3]int{0, 1, 0}},
	} {
		for i, d := range contestants {
			t.Run(tt.name+"/"+d.name, func(t *testing.T) {
				b := newTable(d.open(t), nil)
				b.play(room(tt.sound))
				if got, want := b.count(ear.VoiceStarted), tt.want[i]; got != want {
					t.Errorf("%d utterances, want %d: %s", got, want, b.story())
				}
			})
		}
	}
}

// sayings are sentences and short answers in several voices.
var sayings = [][2]string{
	{"en-gb", "Mira, have you seen the smuggler with the silver ring?"},
	{"de", "Greta, weißt du, wo der Schmied seinen Schlüssel versteckt hat?"},
	{"en-us+f3", "I would like to speak to Bart, please."},
	{"en-gb", "She sells six thick thistle sticks, says Mister Smith."},
	{"en-us", "Stop it!"}, {"en-us", "Bart?"}, {"de+f4", "Halt! Wer da?"}, {"en-gb", "Yes."},
}

// The minimum each detector must reach on speech at several levels, in rooms that are not
// too noisy.
func TestDetectorsOnSpeech(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	const before = 2 * time.Second
	var said []clip
	for _, s := range sayings {
		c := speak(t, s[0], s[1])
		said = append(said, c, gain(c, -15))
	}
	for _, tt := range []struct {
		name  string
		noise func(time.Duration) clip
		least float64 // share of speech frames judged voice
	}{
		{"quiet", func(d time.Duration) clip { return noise(d, -62, 1) }, 0.8},
		{"fan", func(d time.Duration) clip { return noise(d, -48, 1) }, 0.7},
		{"hum", func(d time.Duration) clip { return over(hum(d, -30), noise(d, -62, 1)) }, 0.65},
	} {
		for _, d := range contestants {
			t.Run(tt.name+"/"+d.name, func(t *testing.T) {
				var m measured
				for _, c := range said {
					length := audio.Duration(len(c), audio.SampleRate)
					all := over(tt.noise(length+2*before), join(silence(before), c))
					m.judge(d.open(t), all, before, before+length)
					b := newTable(d.open(t), nil)
					b.play(all)
					begin, end := wantOne(t, b, before, before+length)
					m.begin += begin
					m.end += end
				}
				n := time.Duration(len(said))
				t.Logf("%.2f of speech and %.3f of noise are voice; begins %v and ends %v after it", m.hits(), m.false(), (m.begin / n).Round(laneTick), (m.end / n).Round(laneTick))
				if m.hits() < tt.least || m.false() > 0.01 {
					t.Errorf("%.2f of speech and %.3f of noise are voice, want %v at least and 0.01 at most", m.hits(), m.false(), tt.least)
				}
			})
		}
	}
}

// wantOne checks for one utterance, possibly continued, spoken between from and to and
// not clipped. It returns how late the utterance began and ended.
func wantOne(t *testing.T, b *table, from, to time.Duration) (begin, end time.Duration) {
	t.Helper()
	if b.count(ear.VoiceStarted) != 1 {
		t.Fatalf("want one utterance, heard %s", b.story())
	}
	last := b.events[len(b.events)-1]
	begin, end = b.events[0].At.Sub(epoch)-from, last.At.Sub(epoch)-to
	if begin < -20*laneTick || begin > 280*laneTick {
		t.Errorf("began %v after the speech, want no more than the pre-roll", begin)
	}
	if last.Kind != ear.UtteranceEnded || end < -50*laneTick || end > 800*laneTick { // the fading end may be lost
		t.Errorf("%v %v after the speech, want it to end no later than 800 ms", last.Kind, end)
	}
	return begin, end
}

// measured counts the frames of speech and noise, and how many of each were judged voice.
type measured struct {
	speech, hit, noise, wrong float64
	begin, end                time.Duration // sums of how late utterances begin and end
}

func (m *measured) hits() float64  { return m.hit / m.speech }
func (m *measured) false() float64 { return m.wrong / m.noise }

// judge adds a sound with speech between from and to. Frames near either limit do not
// count.
func (m *measured) judge(d ear.Detector, c clip, from, to time.Duration) {
	const near = 100 * laneTick
	for i, f := range frames(c) {
		at, voice := time.Duration(i)*audio.FrameDuration, 0.0
		if d.Process(&f) >= 0.4 { // the level that sustains voicing
			voice = 1
		}
		switch {
		case at >= from && at+audio.FrameDuration <= to:
			m.speech++
			m.hit += voice
		case at < from-near || at > to+near:
			m.noise++
			m.wrong += voice
		}
	}
}

// A whisper has no pitch, which the energy detector needs, and Silero hardly recognises
// it as a voice: only WebRTC's detector hears it.
func TestDetectorsOnWhispers(t *testing.T) {
	var said []clip
	for _, s := range sayings {
		said = append(said, whisper(speak(t, s[0], s[1]), -32))
	}
	for i, d := range contestants {
		t.Run(d.name, func(t *testing.T) {
			for n, c := range said {
				b := newTable(d.open(t), nil)
				b.play(room(join(silence(2*time.Second), c, silence(2*time.Second))))
				want := []int{0, 1, 0}[i]
				if got := b.count(ear.VoiceStarted); got != want {
					t.Errorf("%q: %d utterances, want %d: %s", sayings[n][1], got, want, b.story())
				} else if want == 1 {
					wantOne(t, b, 2*time.Second, 2*time.Second+audio.Duration(len(c), audio.SampleRate))
				}
			}
		})
	}
}

func BenchmarkDetector(b *testing.B) {
	sound := frames(room(join(laneVoice(120, 3*time.Second, -14), silence(2*time.Second))))
	for _, d := range contestants {
		b.Run(d.name, func(b *testing.B) {
			det := d.open(b)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				det.Process(&sound[i%len(sound)])
			}
		})
	}
}
