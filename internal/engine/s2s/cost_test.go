package s2s_test

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	s2sengine "github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// used is the usage of one answer.
var used = s2s.Usage{InputTextTokens: 10, InputAudioTokens: 20, OutputTextTokens: 3, OutputAudioTokens: 40, CachedTokens: 15}

func charged(times int64) cost.Usage {
	return cost.Usage{Input: 10 * times, AudioInput: 20 * times, Output: 3 * times, AudioOutput: 40 * times, Cached: 15 * times}
}

// telling is a provider that reports usage some time after a session started.
func telling(after time.Duration) s2stest.Options {
	return s2stest.Options{
		Name: "speech", Answer: always(says("The inn is full tonight.", time.Second)),
		Open: func(int, s2s.SessionOptions) s2stest.Opening {
			return s2stest.Opening{Steps: []s2stest.Step{{After: after, Tell: used}}}
		},
	}
}

// spent returns the usage charged, by provider.
func spent(m *cost.Meter) map[string]cost.Usage {
	all := map[string]cost.Usage{}
	for _, e := range m.Report().Providers {
		all[e.Name] = e.Usage
	}
	return all
}

func TestAnswersAreCharged(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration
		leave time.Duration // 0: played to the end
		turn  int64         // charged when the turn ends
	}{
		{"told_with_the_answer", 0, 0, 1},
		{"told_when_the_turn_is_over", 8 * time.Second, 0, 0},
		{"told_when_it_was_interrupted", 200 * time.Millisecond, 100 * time.Millisecond, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, telling(tt.after), nil)
				defer b.close()
				m := cost.NewMeter(cost.Options{})
				a := m.Account("Mira")
				ctx, cancel := context.WithCancel(cost.WithAccount(t.Context(), a))
				defer cancel()
				if tt.leave > 0 {
					time.AfterFunc(tt.leave, cancel)
				}
				b.answer(ctx, b.request("Have you got a room?"))
				if got := a.Sum().Usage; got != charged(tt.turn) {
					t.Errorf("charged %v by the turn's end, want %v", got, charged(tt.turn))
				}
				time.Sleep(10 * time.Second)
				if diff := cmp.Diff(map[string]cost.Usage{"speech": charged(1)}, spent(m)); diff != "" {
					t.Errorf("charged (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// thinking is an engine that charges the request's context.
type thinking struct{}

func (thinking) Answer(ctx context.Context, _ engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		cost.AccountOf(ctx).Charge("thinker", cost.Usage{Input: 100, Output: 5})
		yield(engine.Sentence{Text: "The cascade answers."}, nil)
	}
}

func TestDelegatedWorkIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		duplex := s2s.Capabilities{InputRate: 24_000, OutputRate: 24_000, Duplex: true, ToolChange: s2s.ToolsByNewSession}
		b := newBench(t, s2stest.Options{Name: "speech", Capabilities: duplex, Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Told != nil {
				return s2stest.Answer{Steps: s2stest.Say("", turn.Told.Text, s2stest.Tone(300, time.Second, 24_000), 24_000, 1)}
			}
			return s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Delegated{ID: "d"}}, {Tell: s2s.Usage{AudioSeconds: 2.5}}}}
		}}, nil)
		b.engine.Close()
		b.engine = s2sengine.New(b.provider, b.host, thinking{}, nil)
		defer b.close()
		m := cost.NewMeter(cost.Options{})
		req := b.request("Well?")
		req.Spoken = recorded(time.Second)
		if got := b.answer(cost.WithAccount(t.Context(), m.Account("Mira")), req); got.words() != "The cascade answers." {
			t.Fatalf("said %q (%v)", got.words(), got.err)
		}
		want := map[string]cost.Usage{"speech": {Heard: 2500 * time.Millisecond}, "thinker": {Input: 100, Output: 5}}
		if diff := cmp.Diff(want, spent(m)); diff != "" {
			t.Errorf("charged (-want +got):\n%s", diff)
		}
	})
}

// parting is a provider whose sessions report their usage when they are closed.
type parting struct{ *s2stest.Provider }

func (p parting) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	s, err := p.Provider.Connect(ctx, o)
	return &partingSession{Session: s}, err
}

type partingSession struct {
	s2s.Session
	told atomic.Bool
}

func (s *partingSession) Recv(ctx context.Context) (s2s.Event, error) {
	ev, err := s.Session.Recv(ctx)
	if err != nil && ctx.Err() == nil && !s.told.Swap(true) {
		return used, nil
	}
	return ev, err
}

func TestWhatIsToldAtTheEndIsCharged(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends func(b *bench)
	}{
		{"the_table_closes", func(b *bench) { b.engine.Close() }},
		{"nobody_uses_it", func(*bench) { time.Sleep(6 * time.Minute) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, s2stest.Options{Name: "speech", Answer: always(says("Aye.", time.Second))}, nil)
				b.engine.Close()
				b.engine = s2sengine.New(parting{b.provider}, b.host, b.instead, nil)
				defer b.close()
				m := cost.NewMeter(cost.Options{})
				b.answer(cost.WithAccount(t.Context(), m.Account("Mira")), b.request("One?"))
				tt.ends(b)
				if diff := cmp.Diff(map[string]cost.Usage{"speech": charged(1)}, spent(m)); diff != "" {
					t.Errorf("charged (-want +got):\n%s", diff)
				}
			})
		})
	}
}
