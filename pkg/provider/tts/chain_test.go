package tts_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("down")

// busy is a rate limit.
type busy struct{ after time.Duration }

func (busy) Error() string               { return "busy" }
func (b busy) RetryAfter() time.Duration { return b.after }

// try is one scripted call of a provider.
type try struct {
	wait   time.Duration // before the first sound
	pieces int           // of 100 samples
	stall  time.Duration // before the last piece
	err    error         // after the pieces
}

// scripted plays its tries in order, and repeats the last.
type scripted struct {
	name   string
	tries  []try
	said   []string
	voices []tts.Voice
}

func (p *scripted) Name() string { return p.name }

func (p *scripted) Synthesize(ctx context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		t := p.tries[min(len(p.said), len(p.tries)-1)]
		p.said, p.voices = append(p.said, text), append(p.voices, voice)
		for i := range t.pieces {
			wait := map[bool]time.Duration{true: t.wait}[i == 0]
			if i > 0 && i == t.pieces-1 {
				wait = t.stall
			}
			if !sleep(ctx, wait) {
				yield(tts.PCM{}, context.Cause(ctx))
				return
			}
			if !yield(tts.PCM{Samples: make([]int16, 100), Rate: 24000}, nil) {
				return
			}
		}
		if t.pieces == 0 && !sleep(ctx, t.wait) {
			yield(tts.PCM{}, context.Cause(ctx))
			return
		}
		if t.err != nil {
			yield(tts.PCM{}, t.err)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// room is a chain of scripted providers with its log.
type room struct {
	*tts.Chain
	told []string
}

func newRoom(opts tts.ChainOptions, providers ...*scripted) *room {
	r := &room{}
	opts.OnSwitch = func(s tts.Switch) { r.told = append(r.told, fmt.Sprintf("%s>%s: %v", s.From, s.To, s.Reason)) }
	var links []tts.Link
	for _, p := range providers {
		links = append(links, tts.Link{Name: p.name, Provider: p})
	}
	r.Chain = tts.NewChain(links, &opts)
	return r
}

// speak returns the number of samples received.
func (r *room) speak(ctx context.Context, text string) (int, error) {
	heard := 0
	for pcm, err := range r.Synthesize(ctx, text, tts.Voice{ID: "alloy", IDs: map[string]string{"c": "carl"}}) {
		if err != nil {
			return heard, err
		}
		heard += len(pcm.Samples)
	}
	return heard, nil
}

func TestTakingOver(t *testing.T) {
	fine := []try{{pieces: 3}}
	for _, tt := range []struct {
		name  string
		first []try
		text  string
		heard int
		err   error
		said  string // the providers that spoke, for one sentence
		told  string
		took  time.Duration
	}{
		{name: "all_is_well", first: fine, heard: 300, said: "10"},
		{name: "refused", first: []try{{err: errDown}}, heard: 300, said: "11", told: "a>b: a: down"},
		{name: "no_sound", first: []try{{}}, heard: 300, said: "11", told: "a>b: a: no sound came"},
		{name: "nothing_to_say", first: []try{{}}, text: "…", said: "10"},
		{name: "slow_first_sound", first: []try{{wait: time.Minute, pieces: 3}}, heard: 300, said: "11",
			told: "a>b: a: the sound took too long", took: 3 * time.Second},
		{name: "slow_but_in_time", first: []try{{wait: 2900 * time.Millisecond, pieces: 3}}, heard: 300, said: "10", took: 2900 * time.Millisecond},
		{name: "cut_off_is_not_said_twice", first: []try{{pieces: 2, err: errDown}}, heard: 200, err: tts.ErrCut, said: "10"},
		{name: "stalled_is_not_said_twice", first: []try{{pieces: 2, stall: time.Minute}}, heard: 100, err: tts.ErrSlow, said: "10", took: 5 * time.Second},
		{name: "voice_unknown", first: []try{{err: fmt.Errorf("%w: no such voice", tts.ErrVoice)}}, heard: 300, said: "11",
			told: "a>b: a: voice is not usable: no such voice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := &scripted{name: "a", tries: tt.first}, &scripted{name: "b", tries: fine}
				r := newRoom(tts.ChainOptions{}, a, b)
				text := tt.text
				if text == "" {
					text = "Well met."
				}
				start := time.Now()
				heard, err := r.speak(t.Context(), text)
				if heard != tt.heard || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
					t.Errorf("heard %d samples, err %v; want %d, %v", heard, err, tt.heard, tt.err)
				}
				if got := fmt.Sprint(len(a.said), len(b.said)); strings.ReplaceAll(got, " ", "") != tt.said {
					t.Errorf("sentences given: %s, want %s", got, tt.said)
				}
				if got := strings.Join(r.told, "; "); got != tt.told {
					t.Errorf("told %q, want %q", got, tt.told)
				}
				if got := time.Since(start); got != tt.took {
					t.Errorf("took %v, want %v", got, tt.took)
				}
			})
		})
	}
}

func TestBreakerOpensAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := try{err: errDown}
		a := &scripted{name: "a", tries: []try{down, down, down, down, {pieces: 1}}}
		b := &scripted{name: "b", tries: []try{{pieces: 1}}}
		r := newRoom(tts.ChainOptions{}, a, b)
		say := func(want string) {
			t.Helper()
			if _, err := r.speak(t.Context(), "Yes."); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(len(a.said), " ", len(b.said)); got != want {
				t.Fatalf("sentences given: %s, want %s", got, want)
			}
		}
		say("1 1")
		say("2 2")
		say("3 3") // the breaker opens
		say("3 4")
		time.Sleep(9 * time.Second)
		say("3 5")
		time.Sleep(time.Second)
		say("4 6") // half open, fails, opens for twice as long
		time.Sleep(19 * time.Second)
		say("4 7")
		time.Sleep(time.Second)
		say("5 7") // recovers
		say("6 7")
		if diff := cmp.Diff([]string{"a>b: a: down", "b>a: <nil>"}, r.told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

func TestWhatOpensABreaker(t *testing.T) {
	for _, tt := range []struct {
		name string
		try  try
		open time.Duration // from the first failure; 0 if it stays closed
	}{
		{"slowness_at_once", try{wait: time.Hour}, 10 * time.Second},
		{"rate_limit_as_long_as_told", try{err: fmt.Errorf("x: %w", busy{90 * time.Second})}, 90 * time.Second},
		{"rate_limit_at_least_the_pause", try{err: busy{time.Second}}, 10 * time.Second},
		{"one_failure", try{err: errDown}, 0},
		{"voices", try{err: tts.ErrVoice}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &scripted{name: "a", tries: []try{tt.try, {pieces: 1}}}
				b := &scripted{name: "b", tries: []try{{pieces: 1}}}
				r := newRoom(tts.ChainOptions{}, a, b)
				if _, err := r.speak(t.Context(), "Yes."); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				for len(a.said) == 1 && time.Since(start) < time.Hour {
					if _, err := r.speak(t.Context(), "Yes."); err != nil {
						t.Fatal(err)
					}
					if len(a.said) == 1 {
						time.Sleep(time.Second)
					}
				}
				if got := time.Since(start); got != tt.open {
					t.Errorf("open for %v, want %v", got, tt.open)
				}
			})
		})
	}
}

func TestBadVoicesNeverOpenABreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{name: "a", tries: []try{{err: tts.ErrVoice}}}
		r := newRoom(tts.ChainOptions{}, a, &scripted{name: "b", tries: []try{{pieces: 1}}})
		for range 10 {
			if _, err := r.speak(t.Context(), "Yes."); err != nil {
				t.Fatal(err)
			}
		}
		if len(a.said) != 10 {
			t.Errorf("asked %d times, want 10", len(a.said))
		}
	})
}

func TestNobodyLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &scripted{name: "a", tries: []try{{wait: time.Hour}}}, &scripted{name: "b", tries: []try{{wait: time.Hour}}}
		r := newRoom(tts.ChainOptions{}, a, b)
		start := time.Now()
		if _, err := r.speak(t.Context(), "Yes."); !errors.Is(err, tts.ErrSlow) || !strings.HasPrefix(err.Error(), "b: ") {
			t.Errorf("err = %v, want b's ErrSlow", err)
		}
		if got, want := time.Since(start), 13*time.Second; got != want {
			t.Errorf("took %v, want %v", got, want)
		}
		// Both are open: the one due first is tried anyway.
		a.tries = []try{{pieces: 1}}
		if heard, err := r.speak(t.Context(), "Yes."); err != nil || heard != 100 || len(b.said) != 1 {
			t.Errorf("heard %d, err %v, b asked %d times; want 100, nil, 1", heard, err, len(b.said))
		}
	})
}

func TestStoppingIsNobodysFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("barged in")
		a, b := &scripted{name: "a", tries: []try{{wait: time.Second, pieces: 3}}}, &scripted{name: "b", tries: []try{{pieces: 1}}}
		r := newRoom(tts.ChainOptions{}, a, b)
		for range 5 {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
			if heard, err := r.speak(ctx, "Yes."); !errors.Is(err, cause) || heard != 0 {
				t.Errorf("heard %d, err = %v, want the cause", heard, err)
			}
		}
		for range r.Synthesize(t.Context(), "Yes.", tts.Voice{}) {
			break // stops listening
		}
		if len(a.said) != 6 || len(b.said) != 0 || len(r.told) != 0 {
			t.Errorf("asked %d and %d times, told %v; want 6, 0, nothing", len(a.said), len(b.said), r.told)
		}
	})
}

// A consumer that plays in real time must not look like a stalled provider.
func TestSlowListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(tts.ChainOptions{}, &scripted{name: "a", tries: []try{{pieces: 5}}})
		heard := 0
		for pcm, err := range r.Synthesize(t.Context(), "Yes.", tts.Voice{}) {
			if err != nil {
				t.Fatal(err)
			}
			heard += len(pcm.Samples)
			time.Sleep(time.Minute)
		}
		if heard != 500 {
			t.Errorf("heard %d samples, want 500", heard)
		}
	})
}

func TestVoicesAreNamedByProvider(t *testing.T) {
	down := []try{{err: errDown}}
	a, b, c := &scripted{name: "a", tries: down}, &scripted{name: "b", tries: down}, &scripted{name: "c", tries: []try{{pieces: 1}}}
	if _, err := newRoom(tts.ChainOptions{}, a, b, c).speak(t.Context(), "Yes."); err != nil {
		t.Fatal(err)
	}
	if got := []string{a.voices[0].ID, b.voices[0].ID, c.voices[0].ID}; !slices.Equal(got, []string{"alloy", "", "carl"}) {
		t.Errorf("ids = %q, want alloy, none, carl", got)
	}
}

func TestName(t *testing.T) {
	r := newRoom(tts.ChainOptions{}, &scripted{name: "a"}, &scripted{name: "b"})
	if got := r.Name(); got != "a, then b" {
		t.Errorf("Name = %q", got)
	}
}

// However providers fail, a sentence is spoken by one voice only, and completely if any
// provider that was tried works.
func TestChainProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var providers []*scripted
		for i := range rapid.IntRange(1, 4).Draw(t, "providers") {
			p := &scripted{name: string(rune('a' + i))}
			for range rapid.IntRange(1, 6).Draw(t, "tries") {
				p.tries = append(p.tries, try{
					pieces: rapid.IntRange(0, 3).Draw(t, "pieces"),
					err:    rapid.SampledFrom([]error{nil, nil, errDown, busy{time.Hour}, tts.ErrVoice}).Draw(t, "err"),
				})
			}
			providers = append(providers, p)
		}
		r := newRoom(tts.ChainOptions{}, providers...)
		for range 8 {
			before := 0
			for _, p := range providers {
				before += len(p.said)
			}
			heard, err := r.speak(context.Background(), "Yes.")
			asked := 0
			for _, p := range providers {
				asked += len(p.said)
			}
			if asked == before {
				t.Fatal("nobody was asked")
			}
			if heard > 300 {
				t.Fatalf("heard %d samples: a sentence was begun twice", heard)
			}
			if err == nil && heard == 0 {
				t.Fatal("silence was taken for success")
			}
		}
	})
}
