package ear_test

import (
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// A transport that sends only during speech delivers a second of sound. The owner ticks
// when Next says so and sees the utterance end.
func Example() {
	now := time.Now()
	l := ear.NewLane(now, lanetest.Presence{}, nil)
	var loud audio.Frame
	for i := range loud {
		loud[i] = int16(i % 100 * 50)
	}
	hear := func() {
		for _, e := range l.Tick(now) {
			if e.Kind != ear.Sound {
				fmt.Println(e.Kind, e.Utterance, "after", e.Speech, "of speech")
			}
		}
	}
	for seq := range uint16(50) {
		now = now.Add(audio.FrameDuration)
		l.Intake().Push(now, ear.Packet{Seq: seq, Frame: &loud})
		hear()
	}
	for {
		at, ok := l.Next()
		if !ok {
			break // idle: the next packet wakes the owner
		}
		now = at
		hear()
	}
	// Output:
	// VoiceStarted 1 after 80ms of speech
	// VoiceStopped 1 after 1s of speech
	// UtteranceEnded 1 after 1s of speech
}
