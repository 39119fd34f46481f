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

// voice gives NPCs their voices, at one sample rate and one loudness, with natural pauses between sentences.
// It is safe for concurrent use.
type voice struct {
	provider tts.Provider       // prepares the texts it gets
	unheard  func() bool        // see Sound; nil if it is always heard
	stop     context.CancelFunc // ends warming; nil if there is none
	warming  sync.WaitGroup

	levels *levels

	mu             sync.Mutex                 // guards the field below
	engineLoudness map[string]*audio.Loudness // of speech-to-speech engines, by NPC
}

// NewVoices returns the voices of a provider that needs texts fully in words. None of them are warmed.
func NewVoices(p tts.Provider) table.Voices {
	prepare := prepareText(config.NormaliseAlways, "")
	return &voice{provider: providers.Prepared(p, speech.Full, prepare), levels: &levels{}}
}

// warmPhrases synthesizes the phrases of some occasions without playing them, so that they are cached. The
// NPCs are charged for it. It returns at once, and is called at most once, before the first sentence. Close
// ends it.
func (v *voice) warmPhrases(m *cost.Meter, cast []config.NPC, occasions ...string) {
	life, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.warming.Go(func() {
		for _, npc := range cast {
			ctx := cost.WithAccount(life, m.Account(npc.Name))
			for _, text := range stockLines(npc, occasions...) {
				if err := v.learnLevel(ctx, npc, text); err != nil {
					return // the next sentence reports the same error
				}
			}
		}
	})
}

// Synthesize implements table.Voices.
func (v *voice) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if v.Unheard() {
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		pieces, enough, spare := make(chan piece), make(chan struct{}), make(bufferPool, buffersPerSentence)
		var making sync.WaitGroup
		making.Go(func() {
			defer close(pieces)
			for p := range v.makeSound(ctx, npc, text, spare) {
				select {
				case pieces <- p:
				case <-enough:
					return
				}
			}
		})
		defer making.Wait()
		defer cancel()
		defer close(enough)
		v.levels.equalizeLoudness(npc.Voice, pieces, spare, yield)
	}
}

// Unheard implements [table.Muffled].
func (v *voice) Unheard() bool { return v.unheard != nil && v.unheard() }

// piece is some sound at audio.SampleRate, or the error that ended it.
type piece struct {
	samples []int16
	by      string // the provider that made it
	err     error
}

// bufferPool holds buffers for reuse. A nil bufferPool has none and keeps none.
type bufferPool chan []int16

// buffersPerSentence is how many buffers a sentence keeps: one piece is made while another is heard.
const buffersPerSentence = 2

func (r bufferPool) get() []int16 {
	select {
	case room := <-r:
		return room[:0]
	default:
		return nil
	}
}

func (r bufferPool) put(room []int16) {
	select {
	case r <- room:
	default:
	}
}

// makeSound synthesizes a sentence without the silence around it, reusing buffers.
func (v *voice) makeSound(ctx context.Context, npc config.NPC, text string, spare bufferPool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		var c converter
		var by string
		trim := audio.NewTrimmer(gapAfter(text))
		for pcm, err := range v.provider.Synthesize(ctx, text, npc.Voice) {
			var samples []int16
			if err == nil {
				by = pcm.By
				samples, err = c.convertPCM(pcm)
			}
			if err != nil {
				yield(piece{err: err})
				return
			}
			if heard := trim.Process(spare.get(), samples); len(heard) == 0 {
				spare.put(heard)
			} else if !yield(piece{samples: heard, by: by}) {
				return
			}
		}
		if rest := trim.Flush(trim.Process(nil, c.flushRest())); len(rest) > 0 {
			yield(piece{samples: rest, by: by})
		}
	}
}

// gapAfter returns the length of the natural pause after a sentence.
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

// prepareText returns the function that prepares texts for speech engines, according to the configured mode.
// Voices without a language speak the given one.
func prepareText(mode, language string) providers.Prepare {
	return func(text string, of tts.Voice, engine speech.Profile) string {
		switch mode {
		case config.NormaliseAlways:
			engine = speech.Full
		case config.NormaliseNever:
			engine = speech.AsWritten
		}
		return speech.Speakable(text, cmp.Or(of.Language, language), engine)
	}
}

// Warm opens the connections that the voices need.
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

// converter converts the pieces of one sentence to audio.SampleRate. The zero value is ready to use.
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
