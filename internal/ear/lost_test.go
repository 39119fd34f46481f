package ear_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
)

// finalsOnly filters out every kind but Final.
var finalsOnly = []ear.Kind{ear.VoiceOn, ear.VoiceOff, ear.Interim, ear.Ended, ear.Continued}

// down is an outage: attempts before the given number fail.
func down(before int, err error) func(context.Context, int) error {
	return func(_ context.Context, try int) error {
		if try < before {
			return err
		}
		return nil
	}
}

// slow takes d to open a stream.
func slow(d time.Duration) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *seat) tried(want ...time.Duration) {
	s.t.Helper()
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	if !slices.Equal(s.provider.tries, want) {
		s.t.Errorf("tried to open at %v, want %v", s.provider.tries, want)
	}
}

// A provider that is down is tried at growing intervals.
func TestBackOff(t *testing.T) {
	p := &provider{open: down(100, stt.ErrUnavailable)}
	sit(t, p, overChain(p), func(s *seat) {
		time.Sleep(100 * time.Second)
		s.tried(0, 500*ms, 1500*ms, 3500*ms, 7500*ms, 15500*ms, 31500*ms, 61500*ms, 91500*ms)
		if got := s.ear.Stats(); len(p.streams) != 0 || got.Broken != 9 {
			t.Errorf("stats = %+v, want 9 broken", got)
		}
	})
}

// Only a final transcript proves that a stream works.
func TestBackOffStartsAnewAfterAFinal(t *testing.T) {
	p := &provider{answer: length}
	sit(t, p, overChain(p), func(s *seat) {
		p.stream(0).broken <- stt.ErrUnavailable
		time.Sleep(time.Second)
		p.stream(1).broken <- stt.ErrUnavailable
		time.Sleep(2 * time.Second)
		s.tried(0, 500*ms, 2*time.Second)
		s.say(600*ms, 1400*ms)
		p.stream(2).broken <- stt.ErrUnavailable
		time.Sleep(time.Second)
		s.tried(0, 500*ms, 2*time.Second, 5500*ms)
	})
}

// Speech skips the back-off, unless the last attempt was only just made.
func TestSpeechOpensAtOnce(t *testing.T) {
	p := &provider{answer: length, open: down(4, stt.ErrUnavailable)}
	sit(t, p, overChain(p), func(s *seat) {
		time.Sleep(5 * time.Second) // attempts at 3.5 s and 7.5 s
		s.say(600*ms, 3*time.Second)
		s.tried(0, 500*ms, 1500*ms, 3500*ms, 5060*ms)
		s.tells("Final#1.0(1.1s)", finalsOnly...)
	})
	p = &provider{answer: length, open: down(4, stt.ErrUnavailable)}
	sit(t, p, overChain(p), func(s *seat) {
		time.Sleep(3700 * ms)
		s.say(600*ms, 5*time.Second)
		s.tried(0, 500*ms, 1500*ms, 3500*ms, 7500*ms)
		s.tells("Final#1.0(1.1s)", finalsOnly...)
	})
}

// Speech during the opening of a stream is transcribed completely.
func TestSoundIsKeptWhileOpening(t *testing.T) {
	p := &provider{answer: length, open: slow(6 * time.Second)}
	patient := chain.New([]chain.Link{{Name: "scripted", Provider: p}}, &chain.Options{Opening: 10 * time.Second})
	sit(t, p, ear.Options{Recogniser: patient, Early: -1}, func(s *seat) {
		s.say(600*ms, 1400*ms)
		s.say(400*ms, 1600*ms)
		s.say(3*time.Second, 2*time.Second)
		s.tells("Ended#1.0 Ended#2.0 Final#1.0(1.1s) Final#2.0(1.3s) Ended#3.0 Final#3.0(3.9s)", ear.VoiceOn, ear.VoiceOff)
		if took := s.finals()[0].Took; took != 4920*ms {
			t.Errorf("the first took %v, want until the stream was open, 4.92s", took)
		}
	})
}

// An utterance survives the loss of its stream, however the loss shows.
func TestStreamBreaksWhileSomebodySpeaks(t *testing.T) {
	cut := errors.New("line cut")
	for _, tt := range []struct {
		name  string
		sever func(*stream)
	}{
		{"receiving", func(s *stream) { s.broken <- cut }},
		{"sending", func(s *stream) { s.refuses(nil, cut) }},
		{"finishing", func(s *stream) { s.refuses(cut, nil) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &provider{answer: length}
			sit(t, p, overChain(p), func(s *seat) {
				s.say(400*ms, 0)
				tt.sever(p.stream(0))
				s.say(1200*ms, 3*time.Second)
				s.tells("VoiceOn#1.0 VoiceOff#1.0 Ended#1.0 Final#1.0(2.1s)")
				if got := s.ear.Stats(); len(p.streams) != 2 || got.Broken != 1 || got.Dropped != 0 {
					t.Errorf("%d streams were opened, stats = %+v, want 2, 1 broken", len(p.streams), got)
				}
			})
		})
	}
}

// A refused key must not make a player wait.
func TestRejected(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    ear.Options
	}{
		{"refused", overChain(&provider{open: down(100, stt.ErrRejected)})},
		{"no_recogniser", ear.Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sit(t, nil, tt.o, func(s *seat) {
				s.say(600*ms, 2*time.Second)
				s.tells("VoiceOn#1.0 VoiceOff#1.0 Ended#1.0 Final#1.0!")
				if f := s.finals()[0]; !errors.Is(f.Err, stt.ErrRejected) || f.Took != 0 {
					t.Errorf("err %v after %v, want rejected at once", f.Err, f.Took)
				}
			})
		})
	}
}

// Without a stream, an utterance fails as soon as no further attempt fits its budget, at
// the latest at the end of the budget.
func TestOutage(t *testing.T) {
	for _, tt := range []struct {
		name string
		open func(context.Context, int) error
		wait time.Duration // before the speech
		want error
		took time.Duration
	}{
		{"refuses_connections", down(100, stt.ErrUnavailable), 20 * time.Second, stt.ErrUnavailable, 0},
		{"hangs", slow(time.Hour), 0, stt.ErrOverBudget, stt.DefaultBudget},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &provider{open: tt.open}
			sit(t, p, overChain(p), func(s *seat) {
				time.Sleep(tt.wait)
				s.say(600*ms, 20*time.Second)
				f := s.finals()
				if len(f) != 1 || !errors.Is(f[0].Err, tt.want) || f[0].Took != tt.took {
					t.Errorf("finals = %+v, want %v after %v", f, tt.want, tt.took)
				}
			})
		})
	}
}

// A stream that accepts no more utterances and answers none is replaced; the utterance
// that reveals it goes to the next stream.
func TestHungStream(t *testing.T) {
	p := &provider{}
	sit(t, p, overChain(p), func(s *seat) {
		s.say(600*ms, 20*time.Second)
		p.stream(0).refuses(stt.ErrBusy, nil)
		p.mu.Lock()
		p.answer = length
		p.mu.Unlock()
		s.say(600*ms, 3*time.Second)
		s.tells("Final#1.0! Final#2.0(1.1s)", finalsOnly...)
	})
}

// At most 30 s of sound are kept.
func TestSoundIsKeptWithinBounds(t *testing.T) {
	p := &provider{answer: length}
	// The attempts come at 0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5 s.
	p.open = down(7, stt.ErrUnavailable)
	o := overChain(p)
	o.Lane.MaxUtterance = time.Minute
	sit(t, p, o, func(s *seat) {
		s.say(50*time.Second, 13*time.Second)
		s.tells("Final#1.0(30s)", finalsOnly...)
		if got, want := s.ear.Stats().Dropped, int64(20.5*48000); got != want {
			t.Errorf("%d samples dropped, want %d", got, want)
		}
	})
}

// Sound beyond the ear's own buffer is not lost once it has been sent.
func TestSoundThatWasSentIsNotLost(t *testing.T) {
	p := &provider{answer: length}
	o := overChain(p)
	o.Lane.MaxUtterance = time.Minute
	sit(t, p, o, func(s *seat) {
		s.say(50*time.Second, 3*time.Second)
		s.tells("Final#1.0(50.5s)", finalsOnly...)
		if got := s.ear.Stats().Dropped; got != 0 {
			t.Errorf("%d samples dropped, want none", got)
		}
	})
}

// When the table closes, no more events are reported and all work ends.
func TestEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		open func(context.Context, int) error
		want string
	}{
		{"listening", nil, "VoiceOn#1.0"},
		{"opening", slow(time.Hour), "VoiceOn#1.0"},
		{"pausing", down(100, stt.ErrUnavailable), "VoiceOn#1.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &provider{open: tt.open, answer: length}
			sit(t, p, overChain(p), func(s *seat) {
				s.say(600*ms, 0)
				s.stop()
				time.Sleep(time.Minute)
				s.tells(tt.want)
			})
		})
	}
}

// A listener that blocks stops the ear but not the transport: the intake drops the oldest
// packets, and no event is lost.
func TestStuckListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &provider{answer: length}
		s := &seat{t: t, provider: p, began: time.Now()}
		free := make(chan struct{})
		s.ear = ear.New("Ann", func(e ear.Event) { s.hear(e); <-free }, ear.Options{Recogniser: p, Detector: lanetest.Presence{}, Lane: ear.LaneOptions{Merge: 600 * ms}})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.ear.Run(ctx) }() // ends with stop
		synctest.Wait()
		for range 40 { // four events per round
			s.say(200*ms, 3100*ms)
		}
		if got := s.ear.Stats().Packets; got.Dropped == 0 {
			t.Errorf("intake = %+v, want some packets dropped", got)
		}
		close(free)
		synctest.Wait()
		s.say(600*ms, 3*time.Second)
		ended, finals := s.heard(ear.VoiceOn, ear.VoiceOff, ear.Final), s.finals()
		if len(finals) < 15 || len(finals) != len(ended) {
			t.Fatalf("%d finals of %d utterances, want 15 or more of as many", len(finals), len(ended))
		}
		for i, e := range finals {
			if want := uint64(i + 1); e.Utterance != want || ended[i].Utterance != want {
				t.Errorf("number %d is the Final of %d, Ended of %d", i+1, e.Utterance, ended[i].Utterance)
			}
		}
		if last := finals[len(finals)-1]; last.Speech != 600*ms {
			t.Errorf("the last utterance has %v of speech, want the 600ms said after the wait", last.Speech)
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
}
