package espeak_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
)

// real returns a provider for the installed program.
func real(t testing.TB) *espeak.Provider {
	t.Helper()
	p := espeak.New(nil)
	if err := p.Available(); err != nil {
		t.Skipf("needs the espeak-ng program: %v", err)
	}
	return p
}

func TestRealSpeech(t *testing.T) {
	p := real(t)
	normal, err := collect(t, p, "Welcome to the Prancing Griffin.", tts.Voice{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(normal); n < 22050 || n > 5*22050 {
		t.Errorf("%d samples, want one to five seconds at 22050 Hz", n)
	}
	loud := 0
	for _, s := range normal {
		if s > 2000 || s < -2000 {
			loud++
		}
	}
	if loud < len(normal)/20 {
		t.Errorf("%d of %d samples are loud, want speech", loud, len(normal))
	}
	fast, err := collect(t, p, "Welcome to the Prancing Griffin.", tts.Voice{Speed: 2})
	if err != nil || len(fast) > len(normal)*3/4 {
		t.Errorf("at double speed %d samples, %v; want clearly fewer than %d", len(fast), err, len(normal))
	}
	if _, err := collect(t, p, "Willkommen.", tts.Voice{Language: "de-DE", ID: "+f2", Pitch: 1.2}); err != nil {
		t.Errorf("German: %v", err)
	}
}

func TestRealUnknownVoice(t *testing.T) {
	_, err := collect(t, real(t), "Hello.", tts.Voice{ID: "alloy"})
	if !errors.Is(err, espeak.ErrFailed) {
		t.Errorf("err = %v, want ErrFailed", err)
	}
}

func TestRealSpeakersAtOnce(t *testing.T) {
	p := real(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for pcm, err := range p.Synthesize(ctx, "All at once, my friends, all at once.", tts.Voice{}) {
				if err != nil || pcm.Rate != 22050 {
					t.Errorf("%d Hz, %v; want 22050 Hz", pcm.Rate, err)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkFirstAudio measures the time from a sentence to its first sound.
func BenchmarkFirstAudio(b *testing.B) {
	p := real(b)
	for b.Loop() {
		for _, err := range p.Synthesize(b.Context(), "Welcome to the Prancing Griffin.", tts.Voice{}) {
			if err != nil {
				b.Fatal(err)
			}
			break
		}
	}
}
