package tts

// A chain lets speech providers take over from each other, so that a
// voice that fails does not leave an NPC silent.
//
// Each provider has a breaker: one that failed three times in a row, or kept
// everybody waiting, is left alone for a while and then tried with a single
// sentence. The package starts no goroutine but what package fallback does, and
// relies on providers to end with their context.

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
)

// Errors of a chain.
var (
	// ErrSilent means a provider that made no sound of text with words.
	ErrSilent = errors.New("no sound came")
	// ErrSlow means a provider whose first sound, or next one, took too long.
	ErrSlow = errors.New("the sound took too long")
	// ErrCut means that a sentence broke off after its beginning was heard. It
	// is not spoken again.
	ErrCut = errors.New("the sentence broke off")
)

// Defaults of [ChainOptions].
const (
	defaultFirstSound = 3 * time.Second
	defaultLastSound  = 10 * time.Second
	defaultStall      = 5 * time.Second
)

type (
	// Link is one provider of a chain, by the name that voices name their ids by.
	Link = fallback.Link[Provider]
	// Switch says that another provider speaks from now on.
	Switch = fallback.Switch
)

// ChainOptions configure a [Chain]. The zero value works; what is not positive is the
// default.
type ChainOptions struct {
	// FirstSound bounds the wait for a sentence's first sound where another
	// provider can take over. If zero, 3 s.
	FirstSound time.Duration
	// LastSound is FirstSound for the last one left. If zero, 10 s.
	LastSound time.Duration
	// Stall bounds the wait for more of a sentence. If zero, 5 s.
	Stall time.Duration
	// Failures, BackOff and OnSwitch are those of [fallback.Options]; OnSwitch is
	// called by the goroutine that is about to deliver the sound.
	Failures int
	BackOff  time.Duration
	OnSwitch func(Switch)
}

// Chain implements [Provider]. It is safe for concurrent use.
type Chain struct {
	links *fallback.Chain[Provider]
	opts  ChainOptions
}

var _ Provider = (*Chain)(nil)

// NewChain returns a chain of links by falling preference; opts may be nil.
func NewChain(links []Link, opts *ChainOptions) *Chain {
	var o ChainOptions
	if opts != nil {
		o = *opts
	}
	o.FirstSound = cmp.Or(max(o.FirstSound, 0), defaultFirstSound)
	o.LastSound = cmp.Or(max(o.LastSound, 0), defaultLastSound)
	o.Stall = cmp.Or(max(o.Stall, 0), defaultStall)
	return &Chain{fallback.New(links, fallback.Options{Failures: o.Failures, BackOff: o.BackOff, OnSwitch: o.OnSwitch}), o}
}

// Name lists the providers in order.
func (c *Chain) Name() string { return c.links.Name() }

// Warm opens the connections of all providers, see [fallback.Chain.Warm].
func (c *Chain) Warm(ctx context.Context) error { return c.links.Warm(ctx) }

// Synthesize speaks text with the first provider that is fit to, by the rules of
// [fallback.Stream], and says in each piece whose it is. One that fails after its first sound ends the sentence with
// an error that wraps [ErrCut], since players heard its beginning.
func (c *Chain) Synthesize(ctx context.Context, text string, voice Voice) iter.Seq2[PCM, error] {
	return func(yield func(PCM, error) bool) {
		call := &fallback.Call[Provider, PCM]{
			Ask: func(ctx context.Context, link int) iter.Seq2[PCM, error] {
				l := c.links.Links[link]
				return signed(l.Name, l.Provider.Synthesize(ctx, text, voice.For(l.Name, link == 0)))
			},
			Begins: func(p PCM) bool { return len(p.Samples) > 0 },
			First:  c.opts.FirstSound, Last: c.opts.LastSound, Stall: c.opts.Stall,
			Slow: ErrSlow, Cut: ErrCut, NotTheirs: ErrVoice, // that is the NPC's affair
		}
		if hasWords(text) {
			call.Empty = ErrSilent
		}
		fallback.Stream(ctx, c.links, call, yield)
	}
}

// signed returns sound with the name of who made it.
func signed(by string, sound iter.Seq2[PCM, error]) iter.Seq2[PCM, error] {
	return func(yield func(PCM, error) bool) {
		for pcm, err := range sound {
			if pcm.By = by; !yield(pcm, err) {
				return
			}
		}
	}
}

// hasWords reports whether text holds something to be pronounced.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
