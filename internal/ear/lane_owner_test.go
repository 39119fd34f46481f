package ear_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// own is the loop of a lane's owner. It needs one timer, and none while the lane is idle.
func own(ctx context.Context, l *ear.Lane, hear func(ear.LaneEvent)) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if at, ok := l.Next(); ok {
			timer.Reset(time.Until(at))
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			return
		case <-l.Intake().Ready():
		case <-timer.C:
		}
		for _, e := range l.Tick(time.Now()) {
			hear(e)
		}
	}
}

// A transport with jitter on one side and the owner on the other, in virtual time: no
// packet is lost between them, and events come when due.
func TestOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l := ear.NewLane(start, lanetest.Presence{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var (
			wg     sync.WaitGroup
			events []ear.LaneEvent
			late   time.Duration
		)
		wg.Go(func() {
			own(ctx, l, func(e ear.LaneEvent) {
				if e.Kind == ear.Sound {
					if e.Voiced > 100*laneTick && *e.Frame != (audio.Frame{}) { // neither onset nor silence
						late = max(late, time.Since(e.At))
					}
					return
				}
				events = append(events, e)
			})
		})
		wg.Go(func() { transport(l.Intake(), frames(laneVoice(120, 5*time.Second, -14))) })
		time.Sleep(20 * time.Minute)
		cancel()
		wg.Wait()
		h := heard{events: events}
		if h.count(ear.VoiceStarted) != 1 || h.count(ear.UtteranceEnded) != 1 {
			t.Fatalf("want one utterance, heard %v", events)
		}
		end := events[len(events)-1]
		if end.Speech != 5*time.Second || end.Endpoint < 480*laneTick || end.Endpoint > 520*laneTick {
			t.Errorf("ended after %v with %v of speech, want 500ms and 5s", end.Endpoint, end.Speech)
		}
		if got, want := l.Intake().Stats(), (ear.LaneStats{Packets: 250}); got != want {
			t.Errorf("stats = %+v, want %+v", got, want)
		}
		if since, idle := l.IdleSince(); !idle || time.Since(since) < 15*time.Minute {
			t.Errorf("idle %v for %v, want 15 min", idle, time.Since(since))
		}
		if late > 35*laneTick {
			t.Errorf("a frame waited %v, want no longer than another was late", late)
		}
	})
}

// transport sends frames with a jitter of 0 to 35 ms each, so that some overtake others.
func transport(in *ear.Intake, sound []audio.Frame) {
	r := rand.New(rand.NewPCG(4, 2))
	var wg sync.WaitGroup
	for i := range sound {
		delay := time.Duration(i)*audio.FrameDuration + time.Duration(r.IntN(35))*laneTick
		if i == 0 {
			delay = 0 // the first packet cannot be overtaken
		}
		wg.Go(func() {
			time.Sleep(delay)
			in.Push(time.Now(), ear.Packet{Seq: uint16(i), Frame: &sound[i]})
		})
	}
	wg.Wait()
}
