package tts_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// counting speaks 1,000 samples per letter, in three pieces, and counts calls.
type counting struct {
	mu    sync.Mutex
	asked []string
	fail  error // after the pieces
}

func (p *counting) Name() string { return "counting" }

func (p *counting) Synthesize(_ context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		p.mu.Lock()
		p.asked = append(p.asked, text)
		p.mu.Unlock()
		samples := make([]int16, 1000*len(text))
		for i := range samples {
			samples[i] = int16(i + len(voice.ID))
		}
		for piece := range slices.Chunk(samples, max(len(samples)/3, 1)) {
			if !yield(tts.PCM{Samples: piece, Rate: 24000}, nil) {
				return
			}
		}
		if p.fail != nil {
			yield(tts.PCM{}, p.fail)
		}
	}
}

func hear(ctx context.Context, p tts.Provider, text string, voice tts.Voice) (all []int16, err error) {
	for pcm, err := range p.Synthesize(ctx, text, voice) {
		if err != nil {
			return all, err
		}
		if pcm.Rate != 24000 {
			return all, fmt.Errorf("rate = %d, want 24000", pcm.Rate)
		}
		all = append(all, pcm.Samples...)
	}
	return all, nil
}

func TestCache(t *testing.T) {
	voice := tts.Voice{ID: "a"}
	for _, tt := range []struct {
		name  string
		stock []string
		text  string
		other tts.Voice // voice of the second request
		fail  error
		stop  bool // the first listener leaves early
		asked int  // calls for two requests
	}{
		{name: "stock", stock: []string{"Hm."}, text: "Hm.", other: voice, asked: 1},
		{name: "no_stock", text: "Hm.", other: voice, asked: 2},
		{name: "other_text", stock: []string{"Hm"}, text: "Hm.", other: voice, asked: 2},
		{name: "other_voice", stock: []string{"Hm."}, text: "Hm.", other: tts.Voice{ID: "b"}, asked: 2},
		{name: "other_speed", stock: []string{"Hm."}, text: "Hm.", other: tts.Voice{ID: "a", Speed: 1.1}, asked: 2},
		{name: "failed", stock: []string{"Hm."}, text: "Hm.", other: voice, fail: errors.New("cut"), asked: 2},
		{name: "not_heard_to_the_end", stock: []string{"Hm."}, text: "Hm.", other: voice, stop: true, asked: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inner := &counting{fail: tt.fail}
			c := tts.NewPhraseCache(tt.stock, nil)
			p := c.Wrap("x", inner)
			if tt.stop {
				for range p.Synthesize(t.Context(), tt.text, voice) {
					break
				}
			} else if _, err := hear(t.Context(), p, tt.text, voice); !errors.Is(err, tt.fail) {
				t.Fatalf("err = %v, want %v", err, tt.fail)
			}
			got, err := hear(t.Context(), p, tt.text, tt.other)
			want, _ := hear(t.Context(), &counting{}, tt.text, tt.other)
			if !errors.Is(err, tt.fail) || !slices.Equal(got, want) {
				t.Errorf("the second hearing is %d samples, %v; want %d, %v", len(got), err, len(want), tt.fail)
			}
			if len(inner.asked) != tt.asked {
				t.Errorf("the provider was asked %d times, want %d", len(inner.asked), tt.asked)
			}
			if _, _, hits := c.Stats(); hits != 2-tt.asked {
				t.Errorf("%d hits, want %d", hits, 2-tt.asked)
			}
		})
	}
}

func TestProvidersAreKeptApart(t *testing.T) {
	a, b := &counting{}, &counting{}
	c := tts.NewPhraseCache([]string{"Hm."}, nil)
	for _, p := range []tts.Provider{c.Wrap("a", a), c.Wrap("b", b), c.Wrap("a", a), c.Wrap("b", b)} {
		if _, err := hear(t.Context(), p, "Hm.", tts.Voice{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.asked) != 1 || len(b.asked) != 1 {
		t.Errorf("asked %d and %d times, want once each", len(a.asked), len(b.asked))
	}
}

func TestStoppedListenerHearsNoMore(t *testing.T) {
	p := tts.NewPhraseCache([]string{"Hm, well."}, nil).Wrap("x", &counting{})
	if _, err := hear(t.Context(), p, "Hm, well.", tts.Voice{}); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("barged in")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if got, err := hear(ctx, p, "Hm, well.", tts.Voice{}); len(got) != 0 || !errors.Is(err, cause) {
		t.Errorf("heard %d samples, err %v; want none and the cause", len(got), err)
	}
}

// The cache never exceeds its limit and always plays the right sound.
func TestCacheProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stock []string
		for i := range 8 {
			stock = append(stock, strings.Repeat("a", i+1))
		}
		bound := rapid.IntRange(1, 40_000).Draw(t, "bound")
		c := tts.NewPhraseCache(stock, &tts.PhraseOptions{MaxBytes: bound})
		p := c.Wrap("x", &counting{})
		for range 30 {
			text := rapid.SampledFrom(stock).Draw(t, "text")
			voice := tts.Voice{ID: rapid.SampledFrom([]string{"", "b"}).Draw(t, "voice")}
			got, err := hear(context.Background(), p, text, voice)
			want, _ := hear(context.Background(), &counting{}, text, voice)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q sounds wrong: %d samples, %v", text, len(got), err)
			}
			if _, bytes, _ := c.Stats(); bytes > bound || bytes < 0 {
				t.Fatalf("%d bytes are kept, want at most %d", bytes, bound)
			}
		}
	})
}

func TestManyListeners(t *testing.T) {
	p := tts.NewPhraseCache([]string{"Hm."}, &tts.PhraseOptions{MaxBytes: 10_000}).Wrap("x", &counting{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if got, err := hear(t.Context(), p, "Hm.", tts.Voice{}); err != nil || len(got) != 3000 {
					t.Errorf("heard %d samples, %v; want 3000", len(got), err)
				}
			}
		})
	}
	all.Wait()
}

func TestPhrasesName(t *testing.T) {
	if got := tts.NewPhraseCache(nil, nil).Wrap("x", &counting{}).Name(); got != "counting" {
		t.Errorf("Name = %q, want the provider's", got)
	}
}
