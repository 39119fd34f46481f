package tts

// A [PhraseCache] keeps the audio of phrases that NPCs say again and again, such as greetings and fillers, so
// that they are available at once and paid for only once.
//
// It is bounded in bytes and evicts the least recently used phrase. It does no I/O and starts no goroutine.
// To fill the cache in advance, a caller synthesizes the phrase and discards the audio.

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	defaultMaxBytes = 32 << 20 // about six minutes at 48 kHz
	// overhead is the minimum size of an entry in addition to its samples.
	overhead = 256
)

// PhraseOptions configure a [PhraseCache]. The zero value is ready to use.
type PhraseOptions struct {
	// MaxBytes is the maximum size of the cache. The default is 32 MiB.
	MaxBytes int
}

// PhraseCache caches the audio of stock phrases. It is safe for concurrent use.
type PhraseCache struct {
	stock    map[string]bool
	maxBytes int

	mu     sync.Mutex // guards the fields below
	sounds *simplelru.LRU[key, sound]
	bytes  int
	hits   int
}

// key holds everything that a sound depends on.
type key struct{ provider, voice, text string }

// sound is the audio of a complete phrase. Its samples are immutable.
type sound struct {
	samples []int16
	rate    int
}

func (s sound) bytes(k key) int {
	return 2*len(s.samples) + len(k.provider) + len(k.voice) + len(k.text) + overhead
}

// NewPhraseCache returns a cache for the given phrases, which have to match the text passed to Synthesize
// exactly; opts may be nil. All other text bypasses the cache.
func NewPhraseCache(stock []string, opts *PhraseOptions) *PhraseCache {
	c := &PhraseCache{stock: make(map[string]bool, len(stock)), maxBytes: defaultMaxBytes}
	if opts != nil && opts.MaxBytes > 0 {
		c.maxBytes = opts.MaxBytes
	}
	for _, text := range stock {
		c.stock[text] = true
	}
	// Only the size in bytes limits the cache, not the number of entries.
	c.sounds, _ = simplelru.NewLRU(math.MaxInt32, func(k key, s sound) { c.bytes -= s.bytes(k) }) // fails only for sizes below 1
	return c
}

// Stats returns the number of cached sounds, their size in bytes, and the number of cache hits.
func (c *PhraseCache) Stats() (sounds, bytes, hits int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sounds.Len(), c.bytes, c.hits
}

// Wrap returns p behind this cache. Providers wrapped under the same name have to sound alike.
func (c *PhraseCache) Wrap(name string, p Provider) Provider {
	return &cached{cache: c, name: name, provider: p}
}

// cached is a provider behind a cache.
type cached struct {
	cache    *PhraseCache
	name     string
	provider Provider
}

// Name returns the name of the wrapped provider.
func (p *cached) Name() string { return p.provider.Name() }

// Synthesize plays a stock phrase from the cache, or else calls the provider. It caches a phrase that was
// spoken completely and without an error.
func (p *cached) Synthesize(ctx context.Context, text string, voice Voice) iter.Seq2[PCM, error] {
	if !p.cache.stock[text] {
		return p.provider.Synthesize(ctx, text, voice)
	}
	k := key{p.name, describe(voice), text}
	return func(yield func(PCM, error) bool) {
		if s, ok := p.cache.getSound(k); ok {
			s.play(ctx, yield)
			return
		}
		var s sound
		room := p.cache.maxBytes
		for pcm, err := range p.provider.Synthesize(ctx, text, voice) {
			if err == nil && 2*(len(s.samples)+len(pcm.Samples)) <= room {
				s.samples, s.rate = append(s.samples, pcm.Samples...), pcm.Rate
			} else {
				room = -1
			}
			if !yield(pcm, err) {
				return
			}
		}
		if room > 0 && len(s.samples) > 0 && ctx.Err() == nil {
			p.cache.putSound(k, s)
		}
	}
}

// describe returns a string of everything that determines how a voice sounds.
func describe(v Voice) string {
	return fmt.Sprintf("%q %q %v %v %q", v.ID, v.Language, v.Pitch, v.Speed, v.Instructions)
}

// play yields the sound in pieces of 100 ms until ctx is done.
func (s sound) play(ctx context.Context, yield func(PCM, error) bool) {
	piece := max(s.rate/10, 1)
	for rest := s.samples; len(rest) > 0; {
		if ctx.Err() != nil {
			yield(PCM{}, fmt.Errorf("speaking: %w", context.Cause(ctx)))
			return
		}
		n := min(piece, len(rest))
		if !yield(PCM{Samples: rest[:n:n], Rate: s.rate}, nil) {
			return
		}
		rest = rest[n:]
	}
}

func (c *PhraseCache) getSound(k key) (sound, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.sounds.Get(k)
	if ok {
		c.hits++
	}
	return s, ok
}

// putSound adds s and evicts as many entries as needed.
func (c *PhraseCache) putSound(k key, s sound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := s.bytes(k)
	if size > c.maxBytes {
		return
	}
	c.sounds.Remove(k) // two callers may have spoken it concurrently
	for c.bytes+size > c.maxBytes {
		c.sounds.RemoveOldest()
	}
	c.sounds.Add(k, s)
	c.bytes += size
}
