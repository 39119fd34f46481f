package ear_test

import (
	"os"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// Opus payloads over a network that loses one in ten and reorders others: one utterance
// of full length, with libopus and without it.
func TestOpusPayloads(t *testing.T) {
	lib, err := opus.Load()
	if err != nil {
		if os.Getenv(required) == "1" {
			t.Fatalf("%v, and %s=1 demands it; run: make peers", err, required)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	encoder, err := opus.NewEncoder(lib, nil)
	if err != nil {
		t.Fatal(err)
	}
	var payloads [][]byte
	for _, f := range frames(room(join(silence(time.Second), laneVoice(150, 3*time.Second, -14), silence(time.Second)))) {
		p, err := encoder.Encode(nil, &f)
		if err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, p)
	}
	for _, tt := range []struct {
		name string
		lib  *opus.Library
	}{{"libopus", lib}, {"go", nil}} {
		t.Run(tt.name, func(t *testing.T) {
			decoder, err := opus.NewDecoder(tt.lib)
			if err != nil {
				t.Fatal(err)
			}
			b := newTable(ear.NewEnergy(), &ear.LaneOptions{Decoder: decoder})
			for i := range payloads {
				b.wait(audio.FrameDuration)
				at := i
				if i%8 == 2 || i%8 == 3 { // these two are swapped
					at = i ^ 1
				}
				if at%10 != 5 && at < len(payloads) {
					b.lane.Intake().Push(b.now, ear.Packet{Seq: uint16(at), Payload: payloads[at]})
				}
				b.tick()
			}
			b.wait(3 * time.Second)
			wantKinds(t, b, ear.VoiceStarted, ear.VoiceStopped, ear.UtteranceEnded)
			if got := b.events[2].Speech; got < 2900*laneTick || got > 3100*laneTick {
				t.Errorf("speech = %v, want 3 s", got)
			}
			if s := b.lane.Intake().Stats(); s.Lost != 25 || s.Late != 0 || s.Broken != 0 {
				t.Errorf("stats = %+v, want 25 lost", s)
			}
		})
	}
}
