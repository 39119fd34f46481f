package ear_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// laneSession is the model shared by all tests, as players share it.
var laneSession = sync.OnceValues(func() (*vad.Silero, error) { return vad.OpenSilero("") })

// openModel returns a detector with Silero's model. Without onnxruntime the test is
// skipped, or fails where all peers are required.
func openModel(t testing.TB) ear.Detector {
	t.Helper()
	s, err := laneSession()
	if err != nil {
		if os.Getenv(required) == "1" {
			t.Fatalf("%v, and %s=1 demands it; run: make peers", err, required)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	stream, err := s.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	m, err := ear.NewModel(stream, func(err error) { t.Errorf("the model failed: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The model judges no frame of music or noise as voice.
func TestModelHearsNoVoiceInMusic(t *testing.T) {
	sounds := maps.Clone(pieces())
	sounds["pink noise"] = pinkNoise(5*time.Second, -30)
	sounds["loud pink noise"] = pinkNoise(5*time.Second, -15)
	sounds["street"] = rumble(5*time.Second, -30)
	for name, c := range sounds {
		t.Run(name, func(t *testing.T) {
			voiced := 0
			for _, p := range judgeAll(openModel(t), room(c)) {
				if p >= 0.4 {
					voiced++
				}
			}
			if voiced > 0 {
				t.Errorf("%d frames are voice, want none", voiced)
			}
		})
	}
}

// A voice ends shortly after music sets in, as far as the lane can tell, and the music
// starts no utterance.
func TestMusicKeepsNothingOpen(t *testing.T) {
	said := speak(t, "en-gb", "Mira, have you seen the smuggler with the silver ring?")
	spoken := time.Second + audio.Duration(len(said), audio.SampleRate)
	for name, music := range pieces() {
		t.Run(name, func(t *testing.T) {
			b := newTable(openModel(t), nil)
			b.play(room(join(silence(time.Second), said, music)))
			if b.count(ear.VoiceStarted) != 1 || b.count(ear.UtteranceEnded) != 1 {
				t.Fatalf("want one utterance, heard %s", b.story())
			}
			if end := b.events[len(b.events)-1].At.Sub(epoch); end > spoken+1500*laneTick {
				t.Errorf("it ended %v after the speech, want 1.5 s at most", end-spoken)
			}
		})
	}
}

// The first sound of a word is in the utterance, even if the model is called only after
// it.
func TestModelClipsNoOnset(t *testing.T) {
	for _, s := range sayings {
		said := speak(t, s[0], s[1])
		length := audio.Duration(len(said), audio.SampleRate)
		for _, dB := range []float64{0, -15, -27} {
			b := newTable(openModel(t), nil)
			b.play(room(join(silence(2*time.Second), gain(said, dB), silence(2*time.Second))))
			begin, end := wantOne(t, b, 2*time.Second, 2*time.Second+length)
			t.Logf("%q at %v dB begins %v and ends %v after it", s[1], dB, begin, end)
		}
	}
}

// Eight players who speak at once each get the same result as alone.
func TestPlayersShareAModel(t *testing.T) {
	var sounds [8][]audio.Frame
	var want, got [8][]float64
	for i := range sounds {
		s := sayings[i%len(sayings)]
		said := speak(t, s[0], s[1])
		sounds[i] = frames(room(join(silence(time.Duration(i)*50*laneTick), said, silence(200*laneTick))))
		d := openModel(t)
		for k := range sounds[i] {
			want[i] = append(want[i], d.Process(&sounds[i][k]))
		}
	}
	var work sync.WaitGroup
	for i := range sounds {
		d := openModel(t)
		work.Go(func() {
			for k := range sounds[i] {
				got[i] = append(got[i], d.Process(&sounds[i][k]))
			}
		})
	}
	work.Wait()
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("%q sounds different beside others", sayings[i%len(sayings)][1])
		}
		if slices.Max(got[i]) < 0.6 {
			t.Errorf("%q is not heard", sayings[i%len(sayings)][1])
		}
	}
}

// With the real model, too, a frame of speech allocates nothing.
func TestRealModelAllocatesNothing(t *testing.T) {
	d := openModel(t)
	sound, i := frames(room(join(laneVoice(120, 3*time.Second, -14), silence(2*time.Second)))), 0
	next := func() {
		d.Process(&sound[i%len(sound)])
		i++
	}
	for range 500 {
		next()
	}
	if got := testing.AllocsPerRun(500, next); got != 0 {
		t.Errorf("%v allocations a frame, want 0", got)
	}
}

// The cost of 20 ms of a lane by detector: silence, room noise, continuous speech.
func BenchmarkLane(b *testing.B) {
	for _, sound := range []struct {
		name string
		clip clip
	}{
		{"nothing", silence(5 * time.Second)},
		{"room", room(silence(5 * time.Second))},
		{"speech", room(laneVoice(120, 5*time.Second, -14))},
	} {
		all := frames(sound.clip)
		for _, d := range append(contestants, contestant{"presence", func(testing.TB) ear.Detector { return lanetest.Presence{} }}) {
			b.Run(fmt.Sprintf("%s/%s", sound.name, d.name), func(b *testing.B) {
				l := ear.NewLane(epoch, d.open(b), nil)
				now := epoch
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					now = now.Add(audio.FrameDuration)
					l.Intake().Push(now, ear.Packet{Seq: uint16(i), Frame: &all[i%len(all)]})
					l.Tick(now)
				}
			})
		}
	}
}
