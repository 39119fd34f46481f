package chain_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a provider whose transcripts name the number of samples.
type fake struct {
	name string
	// refuse is the result of Open; answer decides about an utterance.
	refuse func() error
	answer func(number int) verdict

	mu     sync.Mutex
	opened int
	open   int
}

// verdict is the result of an utterance.
type verdict struct {
	err    error // error of the utterance
	broken error // error of the stream, before the final
	mute   bool
	delay  time.Duration
}

func (f *fake) Name() string { return f.name }

func (f *fake) Open(context.Context, stt.Options) (stt.Stream, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		if err := f.refuse(); err != nil {
			return nil, err
		}
	}
	f.opened++
	f.open++
	return &fakeStream{fake: f, audio: vendor.NewAudio(1 << 20), results: vendor.NewResults()}, nil
}

func (f *fake) counts() (opened, open int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opened, f.open
}

type fakeStream struct {
	*fake
	audio   *vendor.Audio
	results *vendor.Results
	samples int
	timers  sync.WaitGroup
	once    sync.Once
}

func (s *fakeStream) Send(samples []int16) error {
	s.samples += len(samples)
	return s.audio.Push(nil)
}

func (s *fakeStream) Finish(context.Context) (int, error) {
	n, err := s.audio.Finish(s.results)
	if err != nil {
		return 0, err
	}
	s.audio.Pop(nil)
	v := verdict{}
	if s.answer != nil {
		v = s.answer(n)
	}
	r := stt.Result{Utterance: n, Final: true, Err: v.err, Text: fmt.Sprintf("%s %d", s.name, s.samples)}
	s.samples = 0
	if v == (verdict{}) { // answers at once, so that answers keep their order
		s.results.Put(r)
		return n, nil
	}
	s.timers.Go(func() {
		time.Sleep(v.delay)
		switch {
		case v.broken != nil:
			s.audio.Fail(v.broken)
			s.results.Fail(v.broken)
		case !v.mute:
			s.results.Put(r)
		}
	})
	return n, nil
}

func (s *fakeStream) Recv(ctx context.Context) (stt.Result, error) { return s.results.Recv(ctx) }
func (s *fakeStream) Stats() stt.Stats                             { return stt.Stats{} }

func (s *fakeStream) Close() error {
	s.once.Do(func() {
		s.audio.Fail(stt.ErrClosed)
		s.results.Fail(stt.ErrClosed)
		s.timers.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
	})
	return nil
}

// table is a stream over fakes, in a synctest bubble.
type table struct {
	t        *testing.T
	stream   stt.Stream
	switches []string
	mu       sync.Mutex
}

// sit runs a test at a table whose providers are fakes, and checks that all streams are
// closed.
func sit(t *testing.T, fakes []*fake, test func(*table)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tb := &table{t: t}
		var links []chain.Link
		for _, f := range fakes {
			links = append(links, chain.Link{Name: f.name, Provider: f})
		}
		c := chain.New(links, &chain.Options{OnSwitch: func(s chain.Switch) {
			tb.mu.Lock()
			defer tb.mu.Unlock()
			tb.switches = append(tb.switches, s.From+">"+s.To)
		}})
		stream, err := c.Listen(t.Context(), stt.Options{SampleRate: vendor.Rate})
		if err != nil {
			t.Fatal(err)
		}
		tb.stream = stream
		test(tb)
		if err := stream.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		for _, f := range fakes {
			if _, open := f.counts(); open != 0 {
				t.Errorf("%d streams of %s are still open", open, f.name)
			}
		}
	})
}

// say sends an utterance of some frames and returns its result.
func (tb *table) say(frames int) (stt.Result, error) {
	tb.t.Helper()
	for range frames {
		if err := tb.stream.Send(make([]int16, 320)); err != nil {
			tb.t.Fatalf("Send = %v", err)
		}
		time.Sleep(audio.FrameDuration)
	}
	return stt.Utterance(tb.t.Context(), tb.stream, stt.UtteranceOptions{})
}

// hears sends an utterance and checks which provider transcribes it.
func (tb *table) hears(provider string) {
	tb.t.Helper()
	r, err := tb.say(10)
	if want := provider + " 3200"; err != nil || r.Text != want {
		tb.t.Errorf("heard %+v, %v, want %q", r, err, want)
	}
}

// fails sends an utterance and checks that it fails.
func (tb *table) fails(want error) {
	tb.t.Helper()
	if r, err := tb.say(10); !errors.Is(err, want) {
		tb.t.Errorf("heard %+v, %v, want %v", r, err, want)
	}
}

func (tb *table) switched(want ...string) {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if !slices.Equal(tb.switches, want) {
		tb.t.Errorf("switches = %v, want %v", tb.switches, want)
	}
}

var errLine = fmt.Errorf("%w: line cut", stt.ErrUnavailable)

// times returns a verdict for the first n utterances.
func times(n int, v verdict) func(int) verdict {
	return func(int) verdict {
		if n--; n >= 0 {
			return v
		}
		return verdict{}
	}
}

func TestFirstHearsWhileItWorks(t *testing.T) {
	a, b := &fake{name: "a"}, &fake{name: "b"}
	sit(t, []*fake{a, b}, func(tb *table) {
		for range 5 {
			tb.hears("a")
		}
		tb.switched()
		if n, _ := a.counts(); n != 1 {
			t.Errorf("a was opened %d times, want once", n)
		}
		if n, _ := b.counts(); n != 0 {
			t.Errorf("b was opened %d times, want never", n)
		}
	})
}

func TestNextTakesOver(t *testing.T) {
	rows := []struct {
		name string
		a    *fake
		took time.Duration
	}{
		{"utterance_fails", &fake{answer: times(1, verdict{err: errLine})}, 0},
		{"stream_breaks", &fake{answer: times(1, verdict{broken: errLine, delay: time.Second})}, time.Second},
		{"never_answers", &fake{answer: times(1, verdict{mute: true})}, 5 * time.Second},
		{"late", &fake{answer: times(1, verdict{delay: 8 * time.Second})}, 5 * time.Second},
		{"cannot_be_opened", &fake{refuse: func() error { return errLine }}, 0},
		{"refuses_the_key", &fake{refuse: func() error { return stt.ErrRejected }}, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			row.a.name = "a"
			sit(t, []*fake{row.a, {name: "b"}}, func(tb *table) {
				began := time.Now()
				tb.hears("b") // with all of its sound
				if took := time.Since(began) - 10*audio.FrameDuration; took != row.took {
					t.Errorf("it took %s, want %s", took, row.took)
				}
			})
		})
	}
}

func TestOneProviderIsAskedTwice(t *testing.T) {
	a := &fake{name: "a", answer: times(1, verdict{broken: errLine})}
	sit(t, []*fake{a}, func(tb *table) {
		tb.hears("a")
		tb.switched()
	})
}

// TestLoneProviderMayBeSlow checks that a single provider has the whole budget.
func TestLoneProviderMayBeSlow(t *testing.T) {
	a := &fake{name: "a", answer: times(1, verdict{delay: 13 * time.Second})}
	sit(t, []*fake{a}, func(tb *table) {
		tb.hears("a")
	})
}

// TestReplayedOnce checks that an utterance which two providers failed is not sent to a
// third.
func TestReplayedOnce(t *testing.T) {
	bad := verdict{err: errLine}
	a, b, c := &fake{name: "a", answer: times(1, bad)}, &fake{name: "b", answer: times(1, bad)}, &fake{name: "c"}
	sit(t, []*fake{a, b, c}, func(tb *table) {
		tb.fails(stt.ErrUnavailable)
		if n, _ := c.counts(); n != 0 {
			t.Errorf("c was opened %d times, want never", n)
		}
		tb.hears("a")
		tb.switched("a>b", "b>a")
	})
}

func TestBreaker(t *testing.T) {
	down := true
	a := &fake{name: "a", answer: func(int) verdict {
		if down {
			return verdict{err: errLine}
		}
		return verdict{}
	}}
	sit(t, []*fake{a, {name: "b"}}, func(tb *table) {
		for range 3 {
			tb.hears("b") // after a failed
		}
		before, _ := a.counts()
		for range 5 {
			tb.hears("b") // a is skipped
		}
		if after, _ := a.counts(); after != before {
			t.Errorf("a was opened %d times while its breaker was open", after-before)
		}
		time.Sleep(10 * time.Second)
		tb.hears("b") // a was tried once and failed
		if after, _ := a.counts(); after != before+1 {
			t.Errorf("a was opened %d times after the pause, want once", after-before)
		}
		down = false
		time.Sleep(10 * time.Second)
		tb.hears("b") // the second pause is longer
		time.Sleep(10 * time.Second)
		tb.hears("a")
	})
}

func TestBudgetOverrunOpensAtOnce(t *testing.T) {
	a := &fake{name: "a", answer: times(9, verdict{mute: true})}
	sit(t, []*fake{a, {name: "b"}}, func(tb *table) {
		tb.hears("b")
		began := time.Now()
		tb.hears("b")
		if took := time.Since(began); took != 10*audio.FrameDuration {
			t.Errorf("the next utterance took %s, want no wait for a", took)
		}
	})
}

func TestNobodyAnswers(t *testing.T) {
	mute := func(int) verdict { return verdict{mute: true} }
	sit(t, []*fake{{name: "a", answer: mute}, {name: "b", answer: mute}}, func(tb *table) {
		began := time.Now()
		tb.fails(chain.ErrSlow)
		if took := time.Since(began) - 10*audio.FrameDuration; took != 14*time.Second {
			t.Errorf("it took %s, want 14 s", took)
		}
	})
}

// TestNobodyCanBeReached checks that each utterance has a result during an outage, and
// that the stream recovers.
func TestNobodyCanBeReached(t *testing.T) {
	down := true
	a := &fake{name: "a", refuse: func() error {
		if down {
			return errLine
		}
		return nil
	}}
	sit(t, []*fake{a}, func(tb *table) {
		for range 5 {
			tb.fails(stt.ErrUnavailable)
		}
		tb.switched("a>a") // reported once per outage
		down = false
		tb.hears("a")
		tb.switched("a>a", "a>a")
	})
}

// TestFailFast checks that an utterance fails at once if no provider is available.
func TestFailFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &fake{name: "a", refuse: func() error { return errLine }}
		told := 0
		c := chain.New([]chain.Link{{Name: "a", Provider: a}}, &chain.Options{FailFast: true, OnSwitch: func(chain.Switch) { told++ }})
		stream, err := c.Listen(t.Context(), stt.Options{SampleRate: vendor.Rate})
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(make([]int16, 3200)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = stt.Utterance(t.Context(), stream, stt.UtteranceOptions{})
		if took := time.Since(start); !errors.Is(err, stt.ErrUnavailable) || took != 0 {
			t.Errorf("err = %v after %v, want ErrUnavailable at once", err, took)
		}
		if err := stream.Close(); err != nil || told != 0 {
			t.Errorf("Close = %v; told %d times that it is tried again, want never", err, told)
		}
	})
}

// TestKeptSoundIsBounded speaks for longer than sound is kept.
func TestKeptSoundIsBounded(t *testing.T) {
	a := &fake{name: "a", answer: times(1, verdict{err: errLine})}
	sit(t, []*fake{a, {name: "b"}}, func(tb *table) {
		r, err := tb.say(int(40 * time.Second / audio.FrameDuration))
		if want := fmt.Sprintf("b %d", 30*vendor.Rate); err != nil || r.Text != want {
			t.Errorf("heard %+v, %v, want %q", r, err, want)
		}
		if got := tb.stream.Stats().Dropped; got != 10*vendor.Rate {
			t.Errorf("dropped %d samples, want 10 s", got)
		}
	})
}

// TestSeveralWait breaks a connection with two pending utterances.
func TestSeveralWait(t *testing.T) {
	a := &fake{name: "a", answer: times(2, verdict{broken: errLine, delay: time.Second})}
	sit(t, []*fake{a, {name: "b"}}, func(tb *table) {
		for i := range 2 {
			if err := tb.stream.Send(make([]int16, 1000*(i+1))); err != nil {
				t.Fatal(err)
			}
			if n, err := tb.stream.Finish(tb.t.Context()); n != i || err != nil {
				t.Fatalf("Finish = %d, %v", n, err)
			}
		}
		for i := range 2 {
			r, err := tb.stream.Recv(tb.t.Context())
			if want := fmt.Sprintf("b %d", 1000*(i+1)); err != nil || r.Text != want || r.Utterance != i {
				t.Errorf("Recv = %+v, %v, want %q", r, err, want)
			}
		}
	})
}

func TestEmptyChain(t *testing.T) {
	if _, err := chain.New(nil, nil).Listen(t.Context(), stt.Options{}); !errors.Is(err, stt.ErrRejected) {
		t.Errorf("Listen = %v, want ErrRejected", err)
	}
}

func TestName(t *testing.T) {
	c := chain.New([]chain.Link{{Name: "a", Provider: &fake{name: "a 1"}}, {Name: "b", Provider: &fake{name: "b 2"}}}, nil)
	if got := c.Name(); !strings.Contains(got, "a 1, then b 2") {
		t.Errorf("Name = %q", got)
	}
}

// TestAnyFailuresLeaveOneOutcome lets providers fail randomly: each utterance has one
// result within its budget, and the stream goes on.
func TestAnyFailuresLeaveOneOutcome(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			var mu sync.Mutex
			roll := func(n int) int {
				mu.Lock()
				defer mu.Unlock()
				return random.IntN(n)
			}
			var fakes []*fake
			for i := range 1 + roll(3) {
				fakes = append(fakes, &fake{
					name: string(rune('a' + i)),
					refuse: func() error {
						return []error{nil, nil, nil, errLine, stt.ErrRejected}[roll(5)]
					},
					answer: func(int) verdict {
						return []verdict{{}, {}, {err: errLine}, {broken: errLine, delay: time.Second}, {mute: true}, {delay: 6 * time.Second}}[roll(6)]
					},
				})
			}
			sit(t, fakes, func(tb *table) {
				for i := range 12 {
					began := time.Now()
					r, err := tb.say(1 + roll(20))
					if took := time.Since(began); took > stt.DefaultBudget+time.Second {
						tb.t.Errorf("utterance %d took %s", i, took)
					}
					if r.Utterance != i || err == nil && !r.Final {
						tb.t.Errorf("utterance %d = %+v, %v", i, r, err)
					}
					time.Sleep(time.Duration(roll(20)) * time.Second)
				}
			})
		})
	}
}

// TestStreamOutlivesAnOutage checks that speech during an outage is transcribed once and
// completely as soon as a provider is back.
func TestStreamOutlivesAnOutage(t *testing.T) {
	began := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the start of every synctest bubble
	a := &fake{name: "a", refuse: func() error {
		if time.Since(began) < 3*time.Second {
			return errLine
		}
		return nil
	}}
	sit(t, []*fake{a}, func(tb *table) {
		tb.hears("a") // attempts at 0, 0.5, 1.5 and 3.5 s
		if took := time.Since(began); took != 3500*time.Millisecond {
			t.Errorf("it took %s, want until the first try that succeeds, 3.5 s", took)
		}
		if got := tb.stream.Stats(); got.Broken != 3 || got.Dropped != 0 {
			t.Errorf("stats = %+v, want 3 broken and nothing dropped", got)
		}
		tb.hears("a")
		if n, _ := a.counts(); n != 1 {
			t.Errorf("a was opened %d times, want once", n)
		}
		tb.switched("a>a", "a>a") // the outage and the recovery
	})
}
