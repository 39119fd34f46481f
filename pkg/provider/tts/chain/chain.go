// Package chain lets speech providers take over from each other, so that a
// voice that fails does not leave an NPC silent.
//
// Imported by internal/app. Each provider has a breaker: one that failed three
// times in a row, or kept everybody waiting, is left alone for a while and then
// tried with a single sentence. The package starts no goroutine but timers,
// which end with the sentence, and those [Chain.Warm] waits for, and relies on
// providers to end with their context.
package chain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/provider/breaker"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
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

// Defaults of [Options].
const (
	defaultFirstSound = 3 * time.Second
	defaultLastSound  = 10 * time.Second
	defaultStall      = 5 * time.Second
)

// Link is one provider of a chain.
type Link struct {
	// Name is what the configuration calls the provider, such as "elevenlabs".
	// Voices name their ids by it.
	Name     string
	Provider tts.Provider
}

// Switch says that another provider speaks from now on.
type Switch struct {
	// From spoke before, To speaks now; both are the links' names.
	From, To string
	// Reason is why From was given up; nil if To is back after a failure.
	Reason error
}

// Options configure a [Chain]. The zero value works.
type Options struct {
	// FirstSound bounds the wait for a sentence's first sound where another
	// provider can take over. If zero, 3 s.
	FirstSound time.Duration
	// LastSound is FirstSound for the last one left. If zero, 10 s.
	LastSound time.Duration
	// Stall bounds the wait for more of a sentence. If zero, 5 s.
	Stall time.Duration
	// Failures in a row open the breaker. If zero, 3.
	Failures int
	// BackOff is how long an open breaker stays so at first; it doubles up to
	// 5 minutes while the provider goes on failing. If zero, 10 s.
	BackOff time.Duration
	// OnSwitch is told of every switch, one at a time, by the goroutine that
	// is about to deliver the sound. It must not block. If nil, nobody is told.
	OnSwitch func(Switch)
}

// Chain implements [tts.Provider]. It is safe for concurrent use.
type Chain struct {
	links []Link
	opts  Options
	state breaker.Set

	mu     sync.Mutex // guards the fields below
	active int        // the link that spoke last
	why    error      // its predecessors' last failure
}

var _ tts.Provider = (*Chain)(nil)

// New returns a chain of links by falling preference; opts may be nil.
func New(links []Link, opts *Options) *Chain {
	c := &Chain{links: links}
	if opts != nil {
		c.opts = *opts
	}
	for _, d := range []struct {
		value *time.Duration
		or    time.Duration
	}{
		{&c.opts.FirstSound, defaultFirstSound}, {&c.opts.LastSound, defaultLastSound},
		{&c.opts.Stall, defaultStall},
	} {
		if *d.value <= 0 {
			*d.value = d.or
		}
	}
	c.state = breaker.NewSet(len(links), c.opts.Failures, c.opts.BackOff)
	return c
}

// Name lists the providers in order.
func (c *Chain) Name() string {
	var names []string
	for _, l := range c.links {
		names = append(names, l.Provider.Name())
	}
	return strings.Join(names, ", then ")
}

// Synthesize speaks text with the first provider that is fit to. One that
// fails before its first sound is followed by the next, with the same
// sentence; one that fails later ends the sentence with an error that wraps
// [ErrCut], since players heard its beginning. If every breaker is open, the
// provider that is due next is tried all the same. The error is the last
// provider's. Cancelling ctx is nobody's failure.
func (c *Chain) Synthesize(ctx context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		var failed error
		tried := make([]bool, len(c.links))
		for i := c.next(tried); i >= 0; i = c.next(tried) {
			tried[i] = true
			a := &attempt{chain: c, link: i, text: text, yield: yield, last: c.state.Ready(tried) == 0, reason: failed}
			err := a.run(ctx, voice.For(c.links[i].Name, i == 0))
			if err == nil {
				return
			}
			failed = err
			if a.heard || ctx.Err() != nil {
				break
			}
		}
		if failed != nil {
			yield(tts.PCM{}, failed)
		}
	}
}

// next returns the link to try now, -1 if none is left. If no breaker is
// closed and nothing was tried yet, it is the one that closes first.
func (c *Chain) next(tried []bool) int {
	link := c.state.Enter(tried)
	if link < 0 && !slices.Contains(tried, true) {
		link = c.state.Soonest(tried)
	}
	return link
}

// speaking notes which link is heard and tells of a change.
func (c *Chain) speaking(link int, reason error) {
	c.mu.Lock()
	if reason != nil {
		c.why = reason
	}
	s := Switch{From: c.links[c.active].Name, To: c.links[link].Name}
	changed := c.active != link
	if link > c.active {
		s.Reason = c.why
	}
	c.active = link
	c.mu.Unlock()
	if changed && c.opts.OnSwitch != nil {
		c.opts.OnSwitch(s)
	}
}

// attempt is one link's try at a sentence.
type attempt struct {
	chain  *Chain
	link   int
	text   string
	yield  func(tts.PCM, error) bool
	last   bool  // nobody takes over
	reason error // why the link before was given up
	heard  bool
}

// run returns nil if the sentence was spoken or the consumer has enough.
func (a *attempt) run(parent context.Context, voice tts.Voice) error {
	c, l, state := a.chain, a.chain.links[a.link], a.chain.state[a.link]
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	patience := c.opts.FirstSound
	if a.last {
		patience = c.opts.LastSound
	}
	watch := time.AfterFunc(patience, func() { cancel(ErrSlow) })
	defer watch.Stop()
	var failed error
	for pcm, err := range l.Provider.Synthesize(ctx, a.text, voice) {
		watch.Stop() // the consumer may take its time
		if err != nil {
			failed = err
			break
		}
		if len(pcm.Samples) > 0 && !a.heard {
			a.heard = true
			c.speaking(a.link, a.reason)
		}
		if !a.yield(pcm, nil) {
			state.Succeeded()
			return nil
		}
		watch.Reset(c.opts.Stall)
	}
	return a.judge(parent, ctx, failed)
}

// judge turns the outcome of a try into the breaker's business and an error.
func (a *attempt) judge(parent, ctx context.Context, failed error) error {
	name, state := a.chain.links[a.link].Name, a.chain.state[a.link]
	slow := errors.Is(context.Cause(ctx), ErrSlow)
	switch {
	case parent.Err() != nil:
		state.Abandoned()
		if failed == nil {
			failed = context.Cause(parent)
		}
		return failed
	case failed == nil && !a.heard && hasWords(a.text):
		failed = ErrSilent
	case failed == nil:
		state.Succeeded()
		return nil
	}
	switch {
	case slow:
		failed = ErrSlow
		state.Failed(true, 0)
	case errors.Is(failed, tts.ErrVoice): // the NPC's affair, not the provider's
		state.Abandoned()
	default:
		var busy interface{ RetryAfter() time.Duration }
		wait := time.Duration(0)
		if errors.As(failed, &busy) {
			wait = busy.RetryAfter()
		}
		state.Failed(wait > 0, wait)
	}
	if a.heard {
		return fmt.Errorf("%s: %w: %w", name, ErrCut, failed)
	}
	return fmt.Errorf("%s: %w", name, failed)
}

// hasWords reports whether text holds something to be pronounced.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
