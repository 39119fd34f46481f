package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("down")

// try is one scripted call of a model.
type try struct {
	wait   time.Duration // before the first chunk
	blanks int           // chunks without anything, before the wait
	held   bool          // says before the wait that it holds text
	chunks int           // one letter each: the model's name
	err    error         // after them
	ends   bool          // with a reason and a space, as some do
}

// scripted plays its tries in order, and repeats the last.
type scripted struct {
	name  string
	tries []try
	asked []llm.Request
}

func (p *scripted) Name() string { return p.name }

func (p *scripted) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		t := p.tries[min(len(p.asked), len(p.tries)-1)]
		p.asked = append(p.asked, req)
		for range t.blanks {
			if !yield(llm.Chunk{}, nil) {
				return
			}
		}
		if t.held && !yield(llm.Chunk{Held: true}, nil) {
			return
		}
		select {
		case <-ctx.Done():
			yield(llm.Chunk{}, context.Cause(ctx))
			return
		case <-time.After(t.wait):
		}
		for range t.chunks {
			if !yield(llm.Chunk{Text: p.name}, nil) {
				return
			}
		}
		if t.ends {
			yield(llm.Chunk{Text: " ", FinishReason: "stop", Usage: &llm.Usage{PromptTokens: 1}}, nil)
		}
		if t.err != nil {
			yield(llm.Chunk{}, t.err)
		}
	}
}

// fixture is a chain of scripted models with its log.
type fixture struct {
	*llm.Chain
	told []string
}

func newFixture(opts llm.ChainOptions, models ...*scripted) *fixture {
	d := &fixture{}
	opts.OnSwitch = func(s llm.Switch) { d.told = append(d.told, fmt.Sprintf("%s>%s: %v", s.From, s.To, s.Reason)) }
	var links []llm.Link
	for _, m := range models {
		links = append(links, llm.Link{Name: m.name, Provider: m})
	}
	d.Chain = llm.NewChain(links, &opts)
	return d
}

// ask returns the answer's text.
func (d *fixture) ask(ctx context.Context, hurry bool) (string, error) {
	var said strings.Builder
	for chunk, err := range d.Stream(ctx, llm.Request{MaxTokens: 7, Hurry: hurry}) {
		if err != nil {
			return said.String(), err
		}
		said.WriteString(chunk.Text)
	}
	return said.String(), nil
}

// hears asks without hurry and checks the answer.
func (d *fixture) hears(t *testing.T, want string) {
	t.Helper()
	if got, err := d.ask(t.Context(), false); got != want || err != nil {
		t.Errorf("heard %q, %v; want %q", got, err, want)
	}
}

func TestTakingOver(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first try
		said  string
		err   error
		asked string // calls of each model
		told  string
		took  time.Duration
	}{
		{name: "all_is_well", first: try{chunks: 2}, said: "aa", asked: "10"},
		{name: "fails", first: try{err: errDown}, said: "bbb", asked: "11", told: "a>b: a: down"},
		{name: "rejects", first: try{err: llm.ErrRejected}, said: "bbb", asked: "11", told: "a>b: a: model refused the request"},
		{name: "says_nothing", first: try{}, said: "bbb", asked: "11", told: "a>b: a: no answer came"},
		{name: "blank_chunks_are_nothing", first: try{blanks: 3, err: errDown}, said: "bbb", asked: "11", told: "a>b: a: down"},
		{name: "ends_without_an_answer", first: try{blanks: 1, ends: true}, said: "bbb", asked: "11", told: "a>b: a: no answer came"},
		{name: "slow", first: try{wait: time.Minute, chunks: 2}, said: "bbb", asked: "11", took: 4 * time.Second,
			told: "a>b: a: the answer took too long to begin"},
		{name: "slow_with_signs_of_life", first: try{blanks: 3, wait: time.Minute, chunks: 2}, said: "bbb", asked: "11", took: 4 * time.Second,
			told: "a>b: a: the answer took too long to begin"},
		{name: "slow_because_its_text_is_held", first: try{held: true, wait: 5 * time.Second, chunks: 2}, said: "aa", asked: "10", took: 5 * time.Second},
		{name: "slow_but_in_time", first: try{wait: 3900 * time.Millisecond, chunks: 2}, said: "aa", asked: "10", took: 3900 * time.Millisecond},
		{name: "broken_off_is_not_said_twice", first: try{chunks: 2, err: errDown}, said: "aa", err: errDown, asked: "10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := &scripted{name: "a", tries: []try{tt.first}}, &scripted{name: "b", tries: []try{{chunks: 3}}}
				d := newFixture(llm.ChainOptions{}, a, b)
				start := time.Now()
				said, err := d.ask(t.Context(), false)
				if said != tt.said || !errors.Is(err, tt.err) {
					t.Errorf("heard %q, %v; want %q, %v", said, err, tt.said, tt.err)
				}
				if got := fmt.Sprint(len(a.asked)) + fmt.Sprint(len(b.asked)); got != tt.asked {
					t.Errorf("asked %s times, want %s", got, tt.asked)
				}
				if got := strings.Join(d.told, "; "); got != tt.told {
					t.Errorf("told %q, want %q", got, tt.told)
				}
				if got := time.Since(start); got != tt.took {
					t.Errorf("took %v, want %v", got, tt.took)
				}
				if len(b.asked) > 0 {
					if diff := cmp.Diff(a.asked, b.asked); diff != "" {
						t.Errorf("the second got another request:\n%s", diff)
					}
				}
			})
		})
	}
}

// TestFirstChunkAtTheLastMoment has the first chunk come exactly at the deadline.
func TestFirstChunkAtTheLastMoment(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			a, b := &scripted{name: "a", tries: []try{{wait: 4 * time.Second, chunks: 2}}}, &scripted{name: "b", tries: []try{{chunks: 3}}}
			d := newFixture(llm.ChainOptions{}, a, b)
			if said, err := d.ask(t.Context(), false); err != nil || said != "aa" && said != "bbb" {
				t.Errorf("heard %q, %v; want one whole answer", said, err)
			}
		})
	}
}

func TestBreakerOpensAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down, fine := try{err: errDown}, try{chunks: 1}
		a, b := &scripted{name: "a", tries: []try{down, down, down, down, fine}}, &scripted{name: "b", tries: []try{fine}}
		d := newFixture(llm.ChainOptions{}, a, b)
		for range 5 {
			d.hears(t, "b")
		}
		if len(a.asked) != 3 {
			t.Errorf("a was asked %d times, want 3: its breaker is open then", len(a.asked))
		}
		time.Sleep(10 * time.Second)
		d.hears(t, "b") // after a failed
		time.Sleep(20 * time.Second)
		d.hears(t, "a")
		if diff := cmp.Diff([]string{"a>b: a: down", "b>a: <nil>"}, d.told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// closed is an outage of known duration.
type closed struct{ busy }

func (closed) Unwrap() error { return llm.ErrUnavailable }

// busy is a rate limit of known duration.
type busy struct{ after time.Duration }

func (busy) Error() string               { return "busy" }
func (busy) Unwrap() error               { return llm.ErrRateLimited }
func (b busy) RetryAfter() time.Duration { return b.after }

func TestWhatOpensABreaker(t *testing.T) {
	for _, tt := range []struct {
		name string
		try  try
		open time.Duration // 0 if the breaker stays closed
	}{
		{"one_failure", try{err: errDown}, 0},
		{"one_outage", try{err: llm.ErrUnavailable}, 0},
		{"slowness", try{wait: time.Hour}, 10 * time.Second},
		{"refusal", try{err: fmt.Errorf("x: %w", llm.ErrRejected)}, 10 * time.Second},
		{"rate_limit", try{err: llm.ErrRateLimited}, 10 * time.Second},
		{"rate_limit_with_a_time", try{err: busy{time.Minute}}, time.Minute},
		{"outage_with_a_time", try{err: closed{busy{time.Minute}}}, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &scripted{name: "a", tries: []try{tt.try, {chunks: 1}}}
				d := newFixture(llm.ChainOptions{}, a, &scripted{name: "b", tries: []try{{chunks: 1}}})
				d.hears(t, "b")
				if tt.open > 0 {
					time.Sleep(tt.open - time.Nanosecond)
					d.hears(t, "b")
					time.Sleep(time.Nanosecond)
				}
				d.hears(t, "a")
			})
		})
	}
}

func TestNobodyLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &scripted{name: "a", tries: []try{{err: llm.ErrRejected}}}, &scripted{name: "b", tries: []try{{err: errDown}}}
		d := newFixture(llm.ChainOptions{}, a, b)
		if said, err := d.ask(t.Context(), false); said != "" || !errors.Is(err, errDown) || err.Error() != "b: down" {
			t.Errorf("heard %q, %v; want the last one's error", said, err)
		}
		for range 2 {
			_, _ = d.ask(t.Context(), false) // also opens b's breaker
		}
		asked := len(a.asked)
		a.tries = []try{{chunks: 1}}
		d.hears(t, "a") // all are open; a is due first
		if len(a.asked) != asked+1 {
			t.Errorf("a was asked %d times more, want once", len(a.asked)-asked)
		}
	})
}

// TestTheLastOneHasTheCallersTime: the last model has the caller's whole time, because
// there is no other to try.
func TestTheLastOneHasTheCallersTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(llm.ChainOptions{}, &scripted{name: "a", tries: []try{{err: errDown}}}, &scripted{name: "b", tries: []try{{wait: time.Minute, chunks: 1}}})
		d.hears(t, "b")
	})
}

func TestStoppingIsNobodysFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &scripted{name: "a", tries: []try{{wait: 2 * time.Second, chunks: 3}}}, &scripted{name: "b", tries: []try{{chunks: 1}}}
		d := newFixture(llm.ChainOptions{}, a, b)
		barge := errors.New("barged in")
		for range 5 {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(barge) })
			if said, err := d.ask(ctx, false); said != "" || !errors.Is(err, barge) {
				t.Errorf("heard %q, %v; want the cause", said, err)
			}
		}
		for range 5 {
			for range d.Stream(t.Context(), llm.Request{}) {
				break
			}
		}
		d.hears(t, "aaa")
		if len(b.asked) > 0 || len(d.told) > 0 {
			t.Errorf("b was asked %d times, told %q; want nothing", len(b.asked), d.told)
		}
	})
}

func TestHurry(t *testing.T) {
	takes := func(d time.Duration) []try { return []try{{wait: d, chunks: 1}} }
	const slow, fast = 2 * time.Second, 500 * time.Millisecond
	for _, tt := range []struct {
		name   string
		models []*scripted
		before []bool // earlier requests, whether in a hurry
		pause  time.Duration
		want   string
	}{
		{name: "another_one_not_asked_lately", want: "b",
			models: []*scripted{{name: "a", tries: takes(slow)}, {name: "b", tries: takes(fast)}}},
		{name: "the_other_is_faster", before: []bool{false, true}, want: "b",
			models: []*scripted{{name: "a", tries: takes(slow)}, {name: "b", tries: takes(fast)}}},
		{name: "the_other_is_slower", before: []bool{false, true}, want: "a",
			models: []*scripted{{name: "a", tries: takes(fast)}, {name: "b", tries: takes(slow)}}},
		{name: "that_was_long_ago", before: []bool{false, true}, pause: time.Hour, want: "b",
			models: []*scripted{{name: "a", tries: takes(fast)}, {name: "b", tries: takes(slow)}}},
		{name: "the_fastest_of_three", before: []bool{false, true, true}, want: "c",
			models: []*scripted{{name: "a", tries: takes(slow)}, {name: "b", tries: takes(slow)}, {name: "c", tries: takes(fast)}}},
		{name: "the_fastest_is_ill", before: []bool{true}, want: "a",
			models: []*scripted{{name: "a", tries: takes(slow)}, {name: "b", tries: []try{{err: llm.ErrRejected}}}}},
		{name: "it_fails_now", want: "a",
			models: []*scripted{{name: "a", tries: takes(slow)}, {name: "b", tries: []try{{err: errDown}}}}},
		{name: "alone", want: "a", models: []*scripted{{name: "a", tries: takes(slow)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newFixture(llm.ChainOptions{}, tt.models...)
				for _, hurry := range tt.before {
					if _, err := d.ask(t.Context(), hurry); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(tt.pause)
				if said, err := d.ask(t.Context(), true); said != tt.want || err != nil {
					t.Errorf("heard %q, %v; want %q", said, err, tt.want)
				}
				if len(d.told) > 0 {
					t.Errorf("told %q, want nothing: hurry is no failure", d.told)
				}
			})
		})
	}
}

func TestNameAndHurry(t *testing.T) {
	one := newFixture(llm.ChainOptions{}, &scripted{name: "a"})
	two := newFixture(llm.ChainOptions{}, &scripted{name: "a"}, &scripted{name: "b"})
	if got := two.Name(); got != "a, then b" {
		t.Errorf("Name = %q", got)
	}
	if one.CanHurry() || !two.CanHurry() {
		t.Errorf("CanHurry = %v of one, %v of two", one.CanHurry(), two.CanHurry())
	}
}

func TestEmptyChain(t *testing.T) {
	if _, err := newFixture(llm.ChainOptions{}).ask(t.Context(), true); !errors.Is(err, llm.ErrRejected) {
		t.Errorf("err = %v, want ErrRejected", err)
	}
}

// TestAnswersComeFromOneModel lets models fail in any way: an answer is from one model,
// complete if there is no error, and there is no error while any model works.
func TestAnswersComeFromOneModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kinds := []try{{chunks: 3}, {chunks: 3}, {}, {blanks: 1}, {err: errDown}, {err: llm.ErrRejected}, {chunks: 2, err: errDown},
			{wait: 3 * time.Second, chunks: 3}, {wait: time.Minute, chunks: 3}, {wait: 5 * time.Second, err: llm.ErrRateLimited}}
		var models []*scripted
		for i := range rapid.IntRange(1, 3).Draw(r, "models") {
			models = append(models, &scripted{name: string(rune('a' + i)), tries: rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 6).Draw(r, "tries")})
		}
		models = append(models, &scripted{name: "z", tries: []try{{chunks: 3}}})
		hurries := rapid.SliceOfN(rapid.Bool(), 1, 12).Draw(r, "hurries")
		pause := time.Duration(rapid.IntRange(0, 30).Draw(r, "pause")) * time.Second
		var fault string
		synctest.Test(t, func(t *testing.T) {
			fault = askAll(t.Context(), newFixture(llm.ChainOptions{}, models...), hurries, pause)
		})
		if fault != "" {
			r.Fatal(fault)
		}
	})
}

// askAll describes the errors in the answers.
func askAll(ctx context.Context, d *fixture, hurries []bool, pause time.Duration) string {
	for i, hurry := range hurries {
		said, err := d.ask(ctx, hurry)
		switch {
		case said != "" && strings.Trim(said, said[:1]) != "":
			return fmt.Sprintf("answer %d is by several: %q", i, said)
		case err == nil && len(said) != 3:
			return fmt.Sprintf("answer %d is not whole: %q", i, said)
		case err != nil && (len(said) != 2 || !errors.Is(err, errDown)):
			return fmt.Sprintf("answer %d: %q, %v, although a model is well", i, said, err)
		}
		time.Sleep(pause)
	}
	return ""
}
