// Package chain lets speech recognition providers take over from each other,
// so that a service that fails does not cost what a player said.
//
// Each stream keeps the sound of its unanswered
// utterances and gives it to the next provider when one fails, once; without any
// connection it waits for one. Each provider has a breaker that all streams share: one that failed three times
// in a row, refused the key or let an utterance wait too long is left alone
// for a while and then tried with a single utterance. A stream has one
// goroutine, and one for each connection; Close ends and waits for them.
package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// ErrSlow means that the final transcript took too long and another provider
// was asked, or the utterance given up.
var ErrSlow = errors.New("the transcript took too long")

// Defaults of [Options].
const (
	defaultOpening   = 4 * time.Second
	defaultFinal     = 5 * time.Second
	defaultLastFinal = 9 * time.Second // with Final and a second's reserve, stt.DefaultBudget
)

const (
	// firstPause is how long a stream without a connection waits before the next
	// try; it doubles up to maxPause until there is a final transcript.
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
)

// MaxKept is how much of an utterance is kept for the next provider. Of a
// longer one the end is kept.
const MaxKept = 30 * time.Second

type (
	// Link is one provider of a chain.
	Link = fallback.Link[stt.Provider]
	// Switch says that another provider hears a stream from now on.
	Switch = fallback.Switch
)

// Options configure a [Chain]. The zero value works.
type Options struct {
	// Opening bounds the opening of a connection. If zero, 4 s.
	Opening time.Duration
	// Final bounds the wait for a final transcript the first time an utterance
	// is sent, if there is a second provider. If zero, 5 s.
	Final time.Duration
	// LastFinal bounds it the second time; a lone provider has both times. If
	// zero, 9 s.
	LastFinal time.Duration
	// FailFast gives an utterance up as soon as no provider can be reached. If
	// false, it is kept and tried again for as long as a final is waited for.
	FailFast bool
	// Failures, BackOff and OnSwitch are those of [fallback.Options]; OnSwitch is
	// called by a stream's goroutine. While an utterance is kept because nobody can
	// be reached, it is told so once, with From and To the same and a Reason, and
	// once more, without one, when somebody can.
	Failures int
	BackOff  time.Duration
	OnSwitch func(Switch)
}

// Chain implements [stt.Recogniser]. It is safe for concurrent use.
type Chain struct {
	links *fallback.Chain[stt.Provider]
	opts  Options
	deaf  atomic.Bool // it was told that nobody can be reached
}

var _ stt.Recogniser = (*Chain)(nil)

// New returns a chain of at least one link by falling preference; opts may be
// nil.
func New(links []Link, opts *Options) *Chain {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Opening = cmp.Or(max(o.Opening, 0), defaultOpening)
	o.Final = cmp.Or(max(o.Final, 0), defaultFinal)
	o.LastFinal = cmp.Or(max(o.LastFinal, 0), defaultLastFinal)
	return &Chain{links: fallback.New(links, fallback.Options{Failures: o.Failures, BackOff: o.BackOff, OnSwitch: o.OnSwitch}), opts: o}
}

// Name lists the providers in order.
func (c *Chain) Name() string { return c.links.Name() }

// Listen implements [stt.Recogniser].
func (c *Chain) Listen(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if ctx.Err() != nil {
		return nil, vendor.Stopped(ctx)
	}
	convert, err := vendor.NewConverter(o)
	if err != nil {
		return nil, fmt.Errorf("opening a stream: %w", err)
	}
	if len(c.links.Links) == 0 {
		return nil, fmt.Errorf("opening a stream: %w: there is no provider", stt.ErrRejected)
	}
	s := &stream{
		chain: c, source: vendor.Source(o), opts: o, convert: convert,
		audio: vendor.NewAudio(vendor.Limit(o)), results: vendor.NewResults(),
		heard: make(chan heard), last: -1, pause: firstPause,
	}
	s.opts.SampleRate = vendor.Rate
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.end = sync.OnceFunc(func() {
		s.audio.Fail(stt.ErrClosed)
		s.results.Fail(stt.ErrClosed)
		cancel(stt.ErrClosed)
		s.tasks.Wait()
	})
	s.tasks.Go(func() { s.run(life) })
	return s, nil
}

// isSevere reports whether a failure opens a breaker at once.
func isSevere(err error) bool {
	return errors.Is(err, ErrSlow) || errors.Is(err, stt.ErrOverBudget) || errors.Is(err, stt.ErrRejected)
}
