package play

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// voice gives NPCs their voices: words instead of signs, at one rate and one
// loudness, without more silence between sentences than people leave. It is safe
// for concurrent use.
type voice struct {
	provider tts.Provider
	language string             // of NPCs whose voice has none
	unheard  func() bool        // see Sound; nil for always heard
	stop     context.CancelFunc // ends warming; nil without
	warming  sync.WaitGroup

	mu     sync.Mutex        // guards the field below
	levels map[string]*level // by NPC, its own voice apart
}

// level brings an NPC's voice to the loudness of the others. It knows the voice
// from earlier sentences.
type level struct {
	mu       sync.Mutex // guards the field below
	loudness *audio.Loudness
}

// NewVoices returns voices that a provider speaks, none of them warmed.
func NewVoices(p tts.Provider) table.Voices { return &voice{provider: p} }

// warmPhrases speaks the phrases of some occasions into the void, so that the cache has
// them; their NPCs are charged. It returns at once and is called once, before the
// first sentence; Close ends it.
func (v *voice) warmPhrases(m *cost.Meter, cast []config.NPC, occasions ...string) {
	life, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.warming.Go(func() {
		for _, npc := range cast {
			ctx := cost.WithAccount(life, m.Account(npc.Name))
			for _, text := range stockLines(npc, occasions...) {
				for _, err := range v.provider.Synthesize(ctx, v.speakableText(npc, text), npc.Voice) {
					if err != nil {
						return // who speaks next will see why
					}
				}
			}
		}
	})
}

// Synthesize implements table.Voices.
func (v *voice) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if v.unheard != nil && v.unheard() {
			return
		}
		l, err := v.levelOf(npc.ID)
		if err != nil {
			yield(nil, err)
			return
		}
		var c converter
		var trimmed, out []int16
		trim := audio.NewTrimmer(gapAfter(text))
		for pcm, err := range v.provider.Synthesize(ctx, v.speakableText(npc, text), npc.Voice) {
			if err != nil {
				yield(nil, err)
				return
			}
			samples, err := c.convertPCM(pcm)
			if err != nil {
				yield(nil, err)
				return
			}
			if trimmed = trim.Process(trimmed[:0], samples); len(trimmed) == 0 {
				continue
			}
			if out = l.applyLoudness(out[:0], trimmed); !yield(out, nil) {
				return
			}
		}
		if rest := trim.Flush(trim.Process(trimmed[:0], c.flushRest())); len(rest) > 0 {
			yield(l.applyLoudness(out[:0], rest), nil)
		}
	}
}

// gapAfter is how much silence follows a sentence, as people leave it.
func gapAfter(text string) time.Duration {
	text = strings.TrimRight(text, " \n\"'”’«»*_)]")
	switch last, _ := utf8.DecodeLastRuneInString(text); {
	case strings.ContainsRune(",;:—–-", last):
		return 120 * time.Millisecond
	case last == '…' || strings.HasSuffix(text, "..."):
		return 180 * time.Millisecond
	}
	return 150 * time.Millisecond
}

// Level implements [table.Leveler].
func (v *voice) Level(npc config.NPC, samples []int16) ([]int16, error) {
	l, err := v.levelOf(npc.ID + " itself") // another voice than the one that speaks for it
	if err != nil {
		return nil, err
	}
	return l.applyLoudness(nil, samples), nil
}

// levelOf returns the level of a voice.
func (v *voice) levelOf(key string) (*level, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if l, ok := v.levels[key]; ok {
		return l, nil
	}
	loudness, err := audio.NewLoudness(audio.SampleRate, nil)
	if err != nil {
		return nil, fmt.Errorf("speaking: %w", err)
	}
	if v.levels == nil {
		v.levels = map[string]*level{}
	}
	v.levels[key] = &level{loudness: loudness}
	return v.levels[key], nil
}

func (l *level) applyLoudness(dst, samples []int16) []int16 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loudness.Process(dst, samples)
}

// speakableText is a sentence as the voice gets it; people read it as it was.
func (v *voice) speakableText(npc config.NPC, text string) string {
	return speech.Speakable(text, cmp.Or(npc.Voice.Language, v.language))
}

// Warm opens the connections that speaking needs.
func (v *voice) Warm(ctx context.Context) error {
	if w, ok := v.provider.(providers.Warmer); ok {
		return w.Warm(ctx)
	}
	return nil
}

// Close ends warming.
func (v *voice) Close() error {
	if v.stop != nil {
		v.stop()
	}
	v.warming.Wait()
	return nil
}

// converter brings the pieces of one sentence to audio.SampleRate. The zero value
// is ready.
type converter struct {
	rate     int
	resample *audio.Resampler
	buf      []int16
}

func (c *converter) convertPCM(pcm tts.PCM) ([]int16, error) {
	if pcm.Rate == audio.SampleRate {
		return pcm.Samples, nil
	}
	if c.resample == nil || c.rate != pcm.Rate {
		r, err := audio.NewResampler(pcm.Rate, audio.SampleRate)
		if err != nil {
			return nil, fmt.Errorf("converting the voice: %w", err)
		}
		c.resample, c.rate = r, pcm.Rate
	}
	c.buf = c.resample.Process(c.buf[:0], pcm.Samples)
	return c.buf, nil
}

func (c *converter) flushRest() []int16 {
	if c.resample == nil {
		return nil
	}
	c.buf = c.resample.Flush(c.buf[:0])
	return c.buf
}
