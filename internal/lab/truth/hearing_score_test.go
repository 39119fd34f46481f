package truth

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestHearingScore checks that the score counts each mistake of a lane, and no
// others.
func TestHearingScore(t *testing.T) {
	loud := func(samples []int16, from, to int) {
		for i := from * 48; i < to*48; i++ {
			samples[i] = 4000
		}
	}
	sound := make([]int16, 12*audio.SampleRate)
	loud(sound, 1000, 2000) // speech
	loud(sound, 2200, 3000) // speech after a pause
	loud(sound, 6000, 7000) // a noise
	truth := clipTruth{Group: "test", Millis: 12000, Pauses: [][]int{{200}, nil},
		Utterances: []said{{Start: 1000, End: 3000, Spans: [][2]int{{1000, 2000}, {2200, 3000}}}, {Start: 9000, End: 9500, Spans: [][2]int{{9000, 9500}}}}}
	var g heardGroup
	g.addClip(truth, hearClip(lanetest.Presence{}, sound))
	if g.falsely != 1 || g.spoken != 2 || g.unheard != 1 || g.pauses != 1 || g.cut != 0 {
		t.Errorf("%d false, %d of %d not heard, %d of %d pauses cut; want 1, 1 of 2, 0 of 1", g.falsely, g.unheard, g.spoken, g.cut, g.pauses)
	}
	if want := 500 * time.Millisecond; g.missed != want || g.unsent != want || g.speech != 2300*time.Millisecond {
		t.Errorf("missed %v and did not send %v of %v, want %v of 2.3 s", g.missed, g.unsent, g.speech, want)
	}
	if want := 1100 * time.Millisecond; g.noise != want {
		t.Errorf("%v of noise are voice, want the second and the release of 100 ms", g.noise)
	}
	if len(g.onsets) != 1 || g.onsets[0] != 80*time.Millisecond {
		t.Errorf("onsets after %v, want the 80 ms that an onset takes", g.onsets)
	}
	if len(g.ends) != 1 || g.ends[0] < 350*time.Millisecond || g.ends[0] > 600*time.Millisecond {
		t.Fatalf("ended after %v, want once, after the wait of a lane that knows nobody's pauses", g.ends)
	}
	if want := time.Second + g.ends[0]; g.longest != want {
		t.Errorf("open for %v with nothing said, want %v", g.longest, want)
	}
}
