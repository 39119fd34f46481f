package tts

// A chain makes speech providers take over from each other, so that a failing voice does not leave an NPC
// silent.
//
// Each provider has a breaker: a provider that failed three times in a row or was too slow is skipped for a
// while and then tried with a single sentence. A chain starts no goroutines other than those of package
// fallback, and relies on providers to end with their context.

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
	// ErrSilent means that a provider produced no audio for text with words.
	ErrSilent = errors.New("no sound came")
	// ErrSlow means that the first or the next audio of a provider took too long.
	ErrSlow = errors.New("the sound took too long")
	// ErrCut means that a sentence broke off after part of it was heard. It is not spoken again.
	ErrCut = errors.New("the sentence broke off")
)

// Defaults of [ChainOptions].
const (
	defaultFirstSound = 3 * time.Second
	defaultLastSound  = 10 * time.Second
	defaultStall      = 5 * time.Second
)

type (
	// Link is one provider of a chain. Its name is the key of [Voice].IDs.
	Link = fallback.Link[Provider]
	// Switch reports that another provider speaks from now on.
	Switch = fallback.Switch
)

// ChainOptions configure a [Chain]. The zero value is ready to use; values that are not positive mean the
// default.
type ChainOptions struct {
	// FirstSound is the maximum wait for the first audio of a sentence if another provider can take over. The
	// default is 3 s.
	FirstSound time.Duration
	// LastSound replaces FirstSound for the last remaining provider. The default is 10 s.
	LastSound time.Duration
	// Stall is the maximum wait for further audio of a sentence. The default is 5 s.
	Stall time.Duration
	// Failures, BackOff and OnSwitch are those of [fallback.Options]. OnSwitch is called by the goroutine
	// that is about to deliver the audio.
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

// NewChain returns a chain of links in order of preference; opts may be nil.
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

// Synthesize speaks text with the first available provider, by the rules of [fallback.Stream]. Each piece
// names its provider. If a provider fails after its first audio, the sentence ends with an error that wraps
// [ErrCut], because players have heard its beginning.
func (c *Chain) Synthesize(ctx context.Context, text string, voice Voice) iter.Seq2[PCM, error] {
	return func(yield func(PCM, error) bool) {
		call := &fallback.Call[Provider, PCM]{
			Ask: func(ctx context.Context, link int) iter.Seq2[PCM, error] {
				l := c.links.Links[link]
				return signed(l.Name, l.Provider.Synthesize(ctx, text, voice.For(l.Name, link == 0)))
			},
			Begins: func(p PCM) bool { return len(p.Samples) > 0 },
			First:  c.opts.FirstSound, Last: c.opts.LastSound, Stall: c.opts.Stall,
			Slow: ErrSlow, Cut: ErrCut, NotTheirs: ErrVoice, // caused by the NPC's voice, not by the provider
		}
		if hasWords(text) {
			call.Empty = ErrSilent
		}
		fallback.Stream(ctx, c.links, call, yield)
	}
}

// signed sets the provider's name in each piece of sound.
func signed(by string, sound iter.Seq2[PCM, error]) iter.Seq2[PCM, error] {
	return func(yield func(PCM, error) bool) {
		for pcm, err := range sound {
			if pcm.By = by; !yield(pcm, err) {
				return
			}
		}
	}
}

// hasWords reports whether text contains anything to pronounce.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
