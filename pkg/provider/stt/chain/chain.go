// Package chain makes speech recognition providers take over from each other, so that a failing service does
// not lose a player's words.
//
//	c := chain.New([]chain.Link{{Name: "deepgram", Provider: dg}, {Name: "openai", Provider: oa}}, nil)
//	stream, err := c.Listen(ctx, stt.Options{Language: "en", Interim: true})
//
// Each stream keeps the audio of its unanswered utterances and resends it once to the next provider when one
// fails. If no provider can be reached, it waits for one. All streams share one breaker per provider: a
// provider that failed three times in a row, refused the key or took too long for an utterance is skipped for
// a while and then tried with a single utterance. A stream has one goroutine, and one for each connection;
// Close ends them and waits for them.
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

// ErrSlow means that the final transcript took too long, so that another provider was asked or the utterance
// was given up.
var ErrSlow = errors.New("the transcript took too long")

// Defaults of [Options].
const (
	defaultOpening   = 4 * time.Second
	defaultFinal     = 5 * time.Second
	defaultLastFinal = 9 * time.Second // Final, LastFinal and a second's reserve add up to stt.DefaultBudget
)

const (
	// firstPause is the first pause before a stream without a connection tries again. The pause doubles up to
	// maxPause until a final transcript arrives.
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
)

// MaxKept is the maximum length of an utterance's audio kept for the next provider. Of a longer one, the end
// is kept.
const MaxKept = 30 * time.Second

type (
	// Link is one provider of a chain.
	Link = fallback.Link[stt.Provider]
	// Switch reports that another provider serves a stream from now on.
	Switch = fallback.Switch
)

// Options configure a [Chain]. The zero value works.
type Options struct {
	// Opening is the maximum time to open a connection. The default is 4 s.
	Opening time.Duration
	// Final is the maximum wait for a final transcript the first time an utterance is sent, if there is a
	// second provider. The default is 5 s.
	Final time.Duration
	// LastFinal is the maximum wait the second time. A single provider gets the sum of both. The default is 9
	// s.
	LastFinal time.Duration
	// FailFast fails an utterance as soon as no provider can be reached. Otherwise the utterance is kept and
	// retried for as long as a final is awaited.
	FailFast bool
	// Failures, BackOff and OnSwitch are those of [fallback.Options]. OnSwitch is called by a stream's
	// goroutine. When an utterance is kept because no provider can be reached, OnSwitch is called once with
	// equal From and To and a Reason, and again without a Reason when a provider can be reached.
	Failures int
	BackOff  time.Duration
	OnSwitch func(Switch)
}

// Chain implements [stt.Recogniser]. It is safe for concurrent use.
type Chain struct {
	links       *fallback.Chain[stt.Provider]
	opts        Options
	unreachable atomic.Bool // OnSwitch was told that no provider can be reached
}

var _ stt.Recogniser = (*Chain)(nil)

// New returns a chain of at least one link in order of preference; opts may be nil.
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
