package ear_test

import (
	"errors"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/stttest"
)

// An ear over the chain of a table: the second service takes over an utterance that the
// first one dropped, in time.
func TestChain(t *testing.T) {
	broken := func(s *stream, _ int, _ time.Duration) { s.broken <- errors.New("line cut") }
	for _, tt := range []struct {
		name  string
		first *provider
		want  string
		took  time.Duration // at most
	}{
		{"answers", &provider{answer: func(s *stream, n int, _ time.Duration) {
			time.AfterFunc(300*ms, func() { s.final(n, "the first") })
		}}, "Final#1.0(the first)", 300 * ms},
		{"breaks", &provider{answer: broken}, "Final#1.0(the second)", 0},
		{"unreachable", &provider{open: down(100, stt.ErrUnavailable)}, "Final#1.0(the second)", 0},
		{"never_answers", &provider{}, "Final#1.0(the second)", 5 * time.Second},
		{"interim_alone", &provider{answer: func(s *stream, n int, _ time.Duration) { s.interim(n, "Aye") }}, "Final#1.0(Aye)?", stt.DefaultSettle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := chain.New([]chain.Link{{Name: "first", Provider: tt.first}, {Name: "second", Provider: stttest.New("the second")}}, nil)
			sit(t, nil, ear.Options{Recogniser: c, Expect: stt.Options{Interim: true}, Early: -1}, func(s *seat) {
				s.say(600*ms, 20*time.Second)
				s.tells(tt.want, finalsOnly...)
				if f := s.finals(); len(f) != 1 || f[0].Took != tt.took {
					t.Errorf("took %v, want %v", f, tt.took)
				}
			})
		})
	}
}

// With no service at all, the chain reports its own failure within the budget.
func TestChainWithoutService(t *testing.T) {
	c := chain.New([]chain.Link{{Name: "first", Provider: &provider{}}, {Name: "second", Provider: &provider{}}}, nil)
	sit(t, nil, ear.Options{Recogniser: c}, func(s *seat) {
		for range 3 {
			s.say(600*ms, 1400*ms)
		}
		time.Sleep(20 * time.Second)
		finals := s.finals()
		if len(finals) != 3 {
			t.Fatalf("finals = %v, want three", story(finals))
		}
		for _, f := range finals {
			if !errors.Is(f.Err, chain.ErrSlow) && !errors.Is(f.Err, stt.ErrOverBudget) || f.Took > stt.DefaultBudget {
				t.Errorf("#%d: err %v after %v, want slow within the budget", f.Utterance, f.Err, f.Took)
			}
		}
	})
}
