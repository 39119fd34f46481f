package ear_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// One utterance with a pause, reported with its times.
func TestUtterance(t *testing.T) {
	sit(t, &provider{answer: after(300 * ms)}, ear.Options{}, func(s *seat) {
		s.say(600*ms, 310*ms)
		s.say(600*ms, 2*time.Second)
		s.tells("VoiceOn#1.0 VoiceOff#1.0 VoiceOn#1.0 VoiceOff#1.0 Ended#1.0 Final#1.0(2.02s)")
		events := s.heard()
		ended, final := events[4], events[5]
		if got, want := ended.At.Sub(s.began), 1490*ms; got != want {
			t.Errorf("voicing ended at %v, want %v", got, want)
		}
		if ended.Endpoint < 350*ms || ended.Endpoint > 600*ms || final.Endpoint != ended.Endpoint {
			t.Errorf("endpoint = %v, then %v, want about 500ms", ended.Endpoint, final.Endpoint)
		}
		if final.Took != 300*ms || !final.At.Equal(ended.At) {
			t.Errorf("took %v at %v, want 300ms at %v", final.Took, final.At, ended.At)
		}
		if final.Speech != 1200*ms || final.Speaker != "Ann" {
			t.Errorf("%v of speech by %q, want 1.2s by Ann", final.Speech, final.Speaker)
		}
		if o := s.provider.expect; o.Speaker != "Ann" || o.SampleRate != 48000 {
			t.Errorf("the provider was told %+v", o)
		}
	})
}

// A speaker who goes on within the merge window reopens the utterance; the earlier
// segment keeps its own Final.
func TestContinued(t *testing.T) {
	sit(t, &provider{answer: after(700 * ms)}, ear.Options{}, func(s *seat) {
		s.say(600*ms, 800*ms)
		s.say(400*ms, 3*time.Second)
		s.tells("VoiceOn#1.0 VoiceOff#1.0 Ended#1.0 Continued#1.1 VoiceOn#1.1 Final#1.0(1.1s) VoiceOff#1.1 Ended#1.1 Final#1.1(1.08s)")
		if got := s.finals()[1].Speech; got != time.Second {
			t.Errorf("%v of speech in all, want 1s", got)
		}
	})
}

// An utterance that exceeds the maximum length is cut without a gap.
func TestCut(t *testing.T) {
	sit(t, &provider{answer: length}, ear.Options{Lane: ear.LaneOptions{MaxUtterance: time.Second}}, func(s *seat) {
		s.say(1500*ms, 2*time.Second)
		s.tells("VoiceOn#1.0 Ended#1.0 VoiceOn#2.0 Final#1.0(1s) VoiceOff#2.0 Ended#2.0 Final#2.0(1s)")
		if first := s.finals()[0]; first.Endpoint != 0 || first.At.Sub(s.began) != 980*ms {
			t.Errorf("cut at %v with endpoint %v, want 980ms with none", first.At.Sub(s.began), first.Endpoint)
		}
	})
}

// Sound too short for a word is not worth waiting for, and must not be transcribed as the
// beginning of the next utterance.
func TestNoise(t *testing.T) {
	sit(t, &provider{answer: after(time.Second)}, ear.Options{MinSpeech: 200 * ms}, func(s *seat) {
		s.say(100*ms, 1300*ms)
		s.tells("VoiceOn#1.0 VoiceOff#1.0 Ended#1.0 Final#1.0")
		if took := s.finals()[0].Took; took != 0 {
			t.Errorf("noise took %v, want none", took)
		}
		s.say(600*ms, 3*time.Second)
		s.tells("Final#1.0 Final#2.0(1.48s)", ear.VoiceOn, ear.VoiceOff, ear.Ended)
		if late := s.ear.Stats().Late; late != 0 {
			t.Errorf("%d transcripts counted as late, want none", late)
		}
	})
}

// Noise keeps its place: its Final waits for earlier ones.
func TestNoiseWaitsItsTurn(t *testing.T) {
	sit(t, &provider{answer: after(5 * time.Second)}, ear.Options{MinSpeech: 200 * ms}, func(s *seat) {
		s.say(600*ms, 1200*ms)
		s.say(100*ms, 8*time.Second)
		s.tells("Ended#1.0 Ended#2.0 Final#1.0(1.1s) Final#2.0", ear.VoiceOn, ear.VoiceOff)
	})
}

// Any results of a stream for an utterance lead to exactly one Final.
func TestFinals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(s *stream, n int, sound time.Duration)
		want   string
		took   time.Duration
		err    error
		late   uint64
	}{
		{"final", length, "Final#1.0(1.1s)", 0, nil, 0},
		{"nothing_understood", func(s *stream, n int, _ time.Duration) { s.final(n, "") }, "Final#1.0", 0, nil, 0},
		{"never", nil, "Final#1.0!", stt.DefaultBudget, stt.ErrOverBudget, 0},
		{"after_the_budget", after(16 * time.Second), "Final#1.0!", stt.DefaultBudget, stt.ErrOverBudget, 1},
		{"interim_stands", func(s *stream, n int, _ time.Duration) { s.interim(n, "Aye") },
			"Interim#1.0(Aye) Final#1.0(Aye)?", stt.DefaultSettle, nil, 0},
		{"interim_then_empty", func(s *stream, n int, _ time.Duration) { s.interim(n, "Aye"); s.final(n, "") },
			"Interim#1.0(Aye) Final#1.0(Aye)?", 0, nil, 0},
		{"final_after_it_settled", func(s *stream, n int, _ time.Duration) {
			s.interim(n, "Aye")
			time.AfterFunc(4*time.Second, func() { s.interim(n, "Aye, aye"); s.final(n, "Aye, captain") })
		}, "Interim#1.0(Aye) Final#1.0(Aye)?", stt.DefaultSettle, nil, 2},
		{"twice", func(s *stream, n int, _ time.Duration) { s.final(n, "Aye"); s.final(n, "No") }, "Final#1.0(Aye)", 0, nil, 1},
		{"foreign", func(s *stream, n int, _ time.Duration) { s.final(n+7, "No"); s.final(-1, "No"); s.final(n, "Aye") },
			"Final#1.0(Aye)", 0, nil, 2},
		{"fails", func(s *stream, n int, _ time.Duration) {
			s.results <- stt.Result{Utterance: n, Final: true, Err: stt.ErrRateLimited}
		}, "Final#1.0!", 0, stt.ErrRateLimited, 0},
		{"breaks", func(s *stream, _ int, _ time.Duration) { s.broken <- errors.New("line cut") }, "Final#1.0!", 0, stt.ErrUnavailable, 0},
		{"breaks_after_an_interim", func(s *stream, n int, _ time.Duration) {
			s.interim(n, "Aye")
			time.AfterFunc(time.Second, func() { s.broken <- stt.ErrRejected })
		}, "Interim#1.0(Aye) Final#1.0(Aye)?!", time.Second, stt.ErrRejected, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sit(t, &provider{answer: tt.answer}, ear.Options{}, func(s *seat) {
				s.say(600*ms, 30*time.Second)
				s.tells(tt.want, ear.VoiceOn, ear.VoiceOff, ear.Ended)
				final := s.finals()[0]
				if final.Took != tt.took || !errors.Is(final.Err, tt.err) {
					t.Errorf("took %v, err %v, want %v, %v", final.Took, final.Err, tt.took, tt.err)
				}
				if late := s.ear.Stats().Late; late != tt.late {
					t.Errorf("%d late transcripts, want %d", late, tt.late)
				}
			})
		})
	}
}

// A final for a later utterance means that earlier ones get none.
func TestSkippedFinal(t *testing.T) {
	p := &provider{}
	sit(t, p, ear.Options{}, func(s *seat) {
		s.say(600*ms, 1200*ms)
		s.say(600*ms, 1200*ms)
		p.stream(0).final(1, "second")
		p.stream(0).final(0, "first")
		synctest.Wait()
		s.tells("Final#1.0 Final#2.0(second)", ear.VoiceOn, ear.VoiceOff, ear.Ended)
		if late := s.ear.Stats().Late; late != 1 {
			t.Errorf("%d late transcripts, want 1", late)
		}
	})
}

// Interim transcripts come while the speaker talks.
func TestInterim(t *testing.T) {
	p := &provider{answer: length}
	sit(t, p, ear.Options{}, func(s *seat) {
		s.say(300*ms, 0)
		p.stream(0).interim(0, "Hold")
		p.stream(0).interim(0, "")
		s.say(300*ms, 2*time.Second)
		s.tells("VoiceOn#1.0 Interim#1.0(Hold) VoiceOff#1.0 Ended#1.0 Final#1.0(1.1s)")
	})
}

// The last interim transcript counts if no final follows.
func TestInterimOfTheTalkingSettles(t *testing.T) {
	p := &provider{}
	sit(t, p, ear.Options{}, func(s *seat) {
		s.say(300*ms, 0)
		p.stream(0).interim(0, "Hold the door")
		s.say(300*ms, 5*time.Second)
		s.tells("Final#1.0(Hold the door)?", ear.VoiceOn, ear.VoiceOff, ear.Ended, ear.Interim)
	})
}

// With too many utterances waiting, the newest fails at once. The stream is not
// considered hung.
func TestBusy(t *testing.T) {
	p := &provider{answer: length}
	sit(t, p, ear.Options{}, func(s *seat) {
		s.say(600*ms, 20*time.Second)
		p.stream(0).refuses(stt.ErrBusy, nil)
		s.say(600*ms, 1200*ms)
		p.stream(0).refuses(nil, nil)
		s.say(600*ms, 2*time.Second)
		s.tells("Final#1.0(1.1s) Final#2.0! Final#3.0(2.54s)", finalsOnly...)
		if busy := s.finals()[1]; !errors.Is(busy.Err, stt.ErrBusy) || busy.Took != 0 {
			t.Errorf("err %v after %v, want busy at once", busy.Err, busy.Took)
		}
	})
}

// A listener that is busy for seconds misses only outdated interim transcripts, and the
// ear goes on hearing.
func TestBusyListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &provider{answer: length}
		s := &seat{t: t, provider: p, began: time.Now()}
		free := make(chan struct{})
		s.ear = ear.New("Ann", func(e ear.Event) { s.hear(e); <-free }, ear.Options{Recogniser: p, Detector: lanetest.Presence{}, Lane: ear.LaneOptions{Merge: 600 * ms}})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.ear.Run(ctx) }() // ends with stop
		synctest.Wait()
		s.say(300*ms, 0)
		p.stream(0).interim(0, "Hold")
		p.stream(0).interim(0, "Hold the")
		p.stream(0).interim(0, "Hold the door")
		s.say(300*ms, 1200*ms)
		s.say(600*ms, 2*time.Second)
		s.tells("VoiceOn#1.0")
		close(free)
		synctest.Wait()
		s.tells("VoiceOn#1.0 Interim#1.0(Hold the door) VoiceOff#1.0 Ended#1.0 Final#1.0(1.1s) VoiceOn#2.0 VoiceOff#2.0 Ended#2.0 Final#2.0(1.44s)")
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		if dropped := s.ear.Stats().Packets.Dropped; dropped != 0 {
			t.Errorf("%d packets dropped, want none", dropped)
		}
	})
}

// Players' words must not reach a log by accident.
func TestLogsKeepQuiet(t *testing.T) {
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("heard", "event", ear.Event{Kind: ear.Final, Text: "the secret door"})
	if got := b.String(); strings.Contains(got, "secret") || !strings.Contains(got, "event.kind=Final") {
		t.Errorf("logged %q", got)
	}
}

// A sealed utterance is final; further speech is a new utterance.
func TestSeal(t *testing.T) {
	for sealed, want := range map[uint64]string{0: "Final#1.0(1.1s) Final#1.1(1.16s)", 1: "Final#1.0(1.1s) Final#2.0(1.16s)"} {
		sit(t, &provider{answer: length}, ear.Options{Lane: ear.LaneOptions{Merge: 2500 * ms}}, func(s *seat) {
			s.say(600*ms, 1000*ms)
			s.ear.Seal(sealed)
			s.say(400*ms, 3*time.Second)
			s.tells(want, finalsOnly...)
		})
	}
}

// A click after an utterance, which continues it for the lane, is not transcribed.
func TestNoiseAfterwards(t *testing.T) {
	sit(t, &provider{answer: after(500 * ms)}, ear.Options{Lane: ear.LaneOptions{Merge: 2500 * ms}, MinSpeech: 200 * ms}, func(s *seat) {
		s.say(600*ms, 1600*ms)
		s.say(120*ms, 3*time.Second)
		if f := s.finals(); len(f) != 2 || f[1].Text != "" || f[1].Took != 0 {
			t.Errorf("finals %+v, want the second empty and at once", f)
		}
	})
}
