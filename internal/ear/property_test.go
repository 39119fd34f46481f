package ear_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// reply is a stream's action some time after an utterance was finished.
type reply struct {
	After  time.Duration
	Number int // relative to the utterance's number
	What   string
}

// phrase is a piece of speech; each packet arrives with its own delay.
type phrase struct {
	Delays  []time.Duration
	Pause   time.Duration
	Replies []reply
}

// session is everything that happens to an ear.
type session struct {
	Phrases []phrase
	Opening []time.Duration // duration of each attempt; negative: fails after it
	Listen  time.Duration   // time the listener needs for each event
	Whole   bool            // each utterance is one request
}

func millis(t *rapid.T, low, high int, label string) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, label)) * ms
}

func drawSession(t *rapid.T) session {
	s := session{Listen: rapid.SampledFrom([]time.Duration{0, 0, ms, 200 * ms}).Draw(t, "listen")}
	s.Whole = rapid.Bool().Draw(t, "whole")
	for range rapid.IntRange(1, 5).Draw(t, "tries") {
		s.Opening = append(s.Opening, millis(t, -2000, 12000, "opening"))
	}
	for range rapid.IntRange(1, 8).Draw(t, "phrases") {
		p := phrase{Pause: millis(t, 0, 4000, "pause")}
		jitter := rapid.SampledFrom([]int{0, 15, 50, 120}).Draw(t, "jitter")
		for range rapid.IntRange(1, 60).Draw(t, "frames") {
			p.Delays = append(p.Delays, millis(t, 0, jitter, "delay"))
		}
		for range rapid.IntRange(0, 4).Draw(t, "replies") {
			p.Replies = append(p.Replies, reply{
				millis(t, 0, 18000, "after"), rapid.SampledFrom([]int{0, 0, 0, 0, -1, 1, 2}).Draw(t, "number"),
				rapid.SampledFrom([]string{"final", "final", "final", "interim", "empty", "error", "break", "busy"}).Draw(t, "what"),
			})
		}
		s.Phrases = append(s.Phrases, p)
	}
	return s
}

// provider plays the service's part of the session.
func (s *session) provider() *provider {
	finished := 0
	return &provider{
		whole: s.Whole,
		open: func(ctx context.Context, try int) error {
			takes := s.Opening[min(try, len(s.Opening)-1)]
			select {
			case <-time.After(takes.Abs()):
			case <-ctx.Done():
				return ctx.Err()
			}
			if takes < 0 {
				return stt.ErrUnavailable
			}
			return nil
		},
		answer: func(st *stream, n int, _ time.Duration) {
			p := s.Phrases[min(finished, len(s.Phrases)-1)]
			finished++
			for _, r := range p.Replies {
				time.AfterFunc(r.After, func() { st.reply(n+r.Number, r.What) })
			}
		},
	}
}

func (s *stream) reply(n int, what string) {
	switch what {
	case "final":
		s.final(n, fmt.Sprint("text ", n))
	case "interim":
		s.interim(n, fmt.Sprint("tex ", n))
	case "empty":
		s.final(n, "")
	case "error":
		s.results <- stt.Result{Utterance: n, Final: true, Err: stt.ErrRateLimited}
	case "break":
		select {
		case s.broken <- errors.New("line cut"):
		default: // already waiting
		}
	case "busy":
		s.refuses(stt.ErrBusy, nil)
		time.AfterFunc(3*time.Second, func() { s.refuses(nil, nil) })
	}
}

// told is an event and when the listener received it.
type told struct {
	ear.Event
	when time.Time
}

// play runs a session to its end.
func (s *session) play(t *testing.T) (all []told) {
	synctest.Test(t, func(t *testing.T) {
		e := ear.New("Ann", func(ev ear.Event) {
			all = append(all, told{ev, time.Now()})
			time.Sleep(s.Listen)
		}, ear.Options{Recogniser: overChain(s.provider()).Recogniser, Early: 3, Detector: lanetest.Presence{}, MinSpeech: 120 * ms})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }() // ends with stop
		seq := uint16(0)
		for _, p := range s.Phrases {
			for i, delay := range p.Delays {
				packet := ear.Packet{Seq: seq, Frame: &loud}
				seq++
				time.AfterFunc(time.Duration(i)*audio.FrameDuration+delay, func() { e.Push(packet) })
			}
			time.Sleep(time.Duration(len(p.Delays))*audio.FrameDuration + p.Pause)
		}
		time.Sleep(40 * time.Second) // all replies have arrived
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
	return all
}

// For any packets and services, each Ended has exactly one Final, in order and in time,
// and the events of an utterance come in a valid order.
func TestOneFinalPerEnded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSession(rt)
		all := s.play(t)
		check(rt, &s, all)
	})
}

func check(t *rapid.T, s *session, all []told) {
	var waiting []told
	var utterance uint64
	var segment int
	var open, voice bool
	for _, e := range all {
		switch e.Kind {
		case ear.VoiceOn:
			if voice || !open && (e.Utterance != utterance+1 || e.Segment != 0) || open && (e.Utterance != utterance || e.Segment != segment) {
				t.Fatalf("%v after #%d.%d, open %v, voice %v", story([]ear.Event{e.Event}), utterance, segment, open, voice)
			}
			utterance, segment, open, voice = e.Utterance, e.Segment, true, true
		case ear.VoiceOff:
			if !voice {
				t.Fatalf("voice ended twice in #%d.%d", e.Utterance, e.Segment)
			}
			voice = false
		case ear.Continued:
			if open || e.Utterance != utterance || e.Segment != segment+1 {
				t.Fatalf("%v after #%d.%d, open %v", story([]ear.Event{e.Event}), utterance, segment, open)
			}
			open, segment = true, e.Segment
		case ear.Ended:
			if !open || e.Utterance != utterance || e.Segment != segment {
				t.Fatalf("%v in #%d.%d, open %v", story([]ear.Event{e.Event}), utterance, segment, open)
			}
			open, voice = false, false
			waiting = append(waiting, e)
		case ear.Final:
			if len(waiting) == 0 {
				t.Fatalf("%v without Ended", story([]ear.Event{e.Event}))
			}
			ended := waiting[0]
			waiting = waiting[1:]
			if e.Utterance != ended.Utterance || e.Segment != ended.Segment || e.At != ended.At {
				t.Fatalf("%v, want #%d.%d", story([]ear.Event{e.Event}), ended.Utterance, ended.Segment)
			}
			if e.Took < 0 || e.Took > stt.DefaultBudget || s.Listen == 0 && e.when.Sub(ended.when) > stt.DefaultBudget {
				t.Fatalf("Final #%d.%d took %v, told %v after Ended", e.Utterance, e.Segment, e.Took, e.when.Sub(ended.when))
			}
		}
	}
	if len(waiting) > 0 || open {
		t.Fatalf("%d Finals never came; open %v", len(waiting), open)
	}
}
