package ear

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/stttest"
)

// spoken is a second of voice and two seconds of silence.
func spoken(e *Ear, seq uint16) {
	var loud audio.Frame
	for i := range loud {
		loud[i] = int16(i % 100 * 50)
	}
	for n := range uint16(50) {
		e.Push(Packet{Seq: seq + n, Frame: &loud})
		time.Sleep(audio.FrameDuration)
	}
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

// An idle ear sets no timer, so that it never wakes the processor.
func TestIdleEarHasNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New("Ann", func(Event) {}, Options{Recogniser: stttest.New("Aye"), Detector: lanetest.Presence{}})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }() // ends with stop
		synctest.Wait()
		idle := func(when string) {
			if at, ok := e.nextDue(); ok {
				t.Errorf("%s, something is due in %v, want nothing", when, time.Until(at))
			}
		}
		idle("at the beginning")
		spoken(e, 0)
		idle("after an utterance")
		for _, s := range e.waiting[:cap(e.waiting)] {
			if s != nil {
				t.Errorf("the list of those that wait still holds utterance %d", s.utterance)
			}
		}
		for _, q := range e.requests[:cap(e.requests)] {
			if q.segment != nil {
				t.Errorf("the list of questions still holds utterance %d", q.segment.utterance)
			}
		}
		stop()
		<-done
	})
}

// Results of a lost stream are ignored.
func TestNewsOfALostStream(t *testing.T) {
	e := New("Ann", func(Event) {}, Options{})
	for _, n := range []streamResult{{err: stt.ErrUnavailable}, {result: stt.Result{Final: true}}} {
		e.handleStreamResult(n, time.Now())
	}
	if got := e.Stats(); got != (Stats{}) || e.reason != nil {
		t.Errorf("stats = %+v, reason %v, want no counts and none", got, e.reason)
	}
}

// A frame of speech allocates nothing.
func TestFrameAllocatesNothing(t *testing.T) {
	e := New("Ann", func(Event) {}, Options{Recogniser: stttest.New(), Detector: lanetest.Presence{}})
	now := time.Now()
	s, err := e.recogniser.Listen(t.Context(), e.expect)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e.stream = s
	frame := new(audio.Frame)
	e.handleLaneEvent(t.Context(), LaneEvent{Kind: VoiceStarted, Utterance: 1, At: now}, now)
	got := testing.AllocsPerRun(49, func() {
		e.handleLaneEvent(t.Context(), LaneEvent{Kind: Sound, Utterance: 1, At: now, Frame: frame}, now)
		e.sendOutcomes(now)
		e.nextDue()
	})
	if got != 0 {
		t.Errorf("%v allocations a frame, want 0", got)
	}
}
