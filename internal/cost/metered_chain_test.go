package cost_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/stttest"
)

// named is a recogniser whose streams, if it fails, break at the end of an utterance.
type named struct {
	*stttest.Provider
	name  string
	fails bool
}

func (n named) Name() string { return n.name }

func (n named) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s, err := n.Provider.Open(ctx, o)
	if n.fails {
		s = breaking{s}
	}
	return s, err
}

type breaking struct{ stt.Stream }

func (breaking) Finish(context.Context) (int, error) { return 0, stt.ErrUnavailable }

// TestEveryRecogniserThatHearsIsCharged has one recogniser break and the next one hear
// the utterance again: both received the sound, so both are charged.
func TestEveryRecogniserThatHearsIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := named{stttest.New(), "first", true}, named{stttest.New("hello"), "second", false}
		c := chain.New([]chain.Link{{Name: "first", Provider: cost.MeteredRecognition(first)}, {Name: "second", Provider: cost.MeteredRecognition(second)}}, nil)
		m := cost.NewMeter(cost.Options{})
		s, err := c.Listen(cost.WithAccount(t.Context(), m.Account("")), stt.Options{SampleRate: 48000})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if err := s.Send(make([]int16, 960)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if _, err := s.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Recv(t.Context()); err != nil || r.Text != "hello" || !r.Final {
			t.Fatalf("heard %+v, %v", r, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		got := charged(m)
		for name, u := range got {
			got[name] = cost.Usage{Heard: u.Heard.Round(50 * time.Millisecond)} // the resampler holds back a few samples
		}
		if diff := cmp.Diff(map[string]cost.Usage{"first": {Heard: 2 * time.Second}, "second": {Heard: 2 * time.Second}}, got); diff != "" {
			t.Errorf("charged (-want +got):\n%s", diff)
		}
	})
}
