package tts

// Phrases keeps the sound of what NPCs say again and again, such as
// greetings and fillers, so that it is there at once and costs nothing twice.
//
// A [PhraseCache] is bounded in bytes and forgets what was
// not said for longest. It does no I/O and starts no goroutine; whoever wants a
// phrase to be there before it is needed speaks it into the void.

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
	// overhead is what an entry takes beside its samples, at least.
	overhead = 256
)

// PhraseOptions configure a [PhraseCache]. The zero value works.
type PhraseOptions struct {
	// MaxBytes bounds the sound that is kept. If zero, 32 MiB.
	MaxBytes int
}

// PhraseCache keeps the sound of stock phrases. It is safe for concurrent use.
type PhraseCache struct {
	stock    map[string]bool
	maxBytes int

	mu     sync.Mutex // guards the fields below
	sounds *simplelru.LRU[key, sound]
	bytes  int
	hits   int
}

// key is all that a sound depends on.
type key struct{ provider, voice, text string }

// sound is a whole synthesis; its samples never change.
type sound struct {
	samples []int16
	rate    int
}

func (s sound) bytes(k key) int {
	return 2*len(s.samples) + len(k.provider) + len(k.voice) + len(k.text) + overhead
}

// NewPhraseCache returns a cache for the given phrases, word by word as they reach the
// providers; opts may be nil. Everything else passes through.
func NewPhraseCache(stock []string, opts *PhraseOptions) *PhraseCache {
	c := &PhraseCache{stock: make(map[string]bool, len(stock)), maxBytes: defaultMaxBytes}
	if opts != nil && opts.MaxBytes > 0 {
		c.maxBytes = opts.MaxBytes
	}
	for _, text := range stock {
		c.stock[text] = true
	}
	// The bound is in bytes, so the number of entries has none that matters.
	c.sounds, _ = simplelru.NewLRU(math.MaxInt32, func(k key, s sound) { c.bytes -= s.bytes(k) }) // fails for sizes below 1 only
	return c
}

// Stats returns how many sounds are kept, their bytes, and how often one was
// used.
func (c *PhraseCache) Stats() (sounds, bytes, hits int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sounds.Len(), c.bytes, c.hits
}

// Wrap returns p with this cache before it. Name tells providers apart: those
// of one name must sound alike.
func (c *PhraseCache) Wrap(name string, p Provider) Provider {
	return &cached{cache: c, name: name, provider: p}
}

// cached is a provider behind a cache.
type cached struct {
	cache    *PhraseCache
	name     string
	provider Provider
}

// Name returns the provider's own.
func (p *cached) Name() string { return p.provider.Name() }

// Synthesize speaks a phrase from the cache if it is there, else through the
// provider. What was spoken to the end without an error is kept.
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

// describe puts what a voice sounds like into words.
func describe(v Voice) string {
	return fmt.Sprintf("%q %q %v %v %q", v.ID, v.Language, v.Pitch, v.Speed, v.Instructions)
}

// play yields the sound in pieces of 100 ms, until ctx is done.
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

// putSound keeps s and forgets what no longer fits.
func (c *PhraseCache) putSound(k key, s sound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := s.bytes(k)
	if size > c.maxBytes {
		return
	}
	c.sounds.Remove(k) // two may have spoken it at once
	for c.bytes+size > c.maxBytes {
		c.sounds.RemoveOldest()
	}
	c.sounds.Add(k, s)
	c.bytes += size
}
