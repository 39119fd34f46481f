// Package tier picks the budget tier of an utterance from its words and the
// state of the conversation, without a model and within microseconds.
//
// Imported by internal/agent and internal/table. It does no I/O and starts no
// goroutine.
package tier

import (
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// crowd is how many waiting players make speed matter more than depth.
const crowd = 3

// Reasons a [Decision] carries.
const (
	ReasonOverride = "dm override"
	ReasonDeep     = "deep keyword"
	ReasonSpam     = "deep keyword again too soon"
	ReasonQueue    = "players are waiting"
	ReasonStandard = "standard keyword"
	ReasonFirst    = "first turn"
	ReasonDefault  = "default"
)

// Decision is a selected tier and why.
type Decision struct {
	Tier   mcp.BudgetTier
	Reason string
}

// Selector picks tiers for one conversation. It is safe for concurrent use.
type Selector struct {
	words       *matcher
	minDeep     time.Duration
	queue       atomic.Int32
	turns       atomic.Int64
	lastDeepSet atomic.Bool
	lastDeep    atomic.Int64 // nanoseconds since epoch
	epoch       time.Time
}

type options struct {
	minDeep        time.Duration
	deep, standard []string
}

// Option configures a Selector.
type Option func(*options)

// WithMinDeepInterval sets how long after a DEEP selection the next DEEP
// keyword is demoted to STANDARD. The default is 30 s; 0 turns it off.
func WithMinDeepInterval(d time.Duration) Option {
	return func(o *options) { o.minDeep = d }
}

// WithDeepKeywords replaces the DEEP phrases. A phrase matches whole words in
// any case; "…" or "..." inside it stands for any words of the same sentence.
func WithDeepKeywords(phrases ...string) Option {
	return func(o *options) { o.deep = phrases }
}

// WithStandardKeywords replaces the STANDARD phrases, see [WithDeepKeywords].
func WithStandardKeywords(phrases ...string) Option {
	return func(o *options) { o.standard = phrases }
}

// NewSelector returns a Selector at the start of a conversation. Without
// options it knows the English and German default phrases.
func NewSelector(opts ...Option) *Selector {
	o := options{minDeep: 30 * time.Second, deep: deepPhrases, standard: standardPhrases}
	for _, opt := range opts {
		opt(&o)
	}
	return &Selector{words: compile(o.deep, o.standard), minDeep: o.minDeep, epoch: time.Now()}
}

// SetQueueDepth tells how many players wait for an answer.
func (s *Selector) SetQueueDepth(players int) { s.queue.Store(int32(min(players, 1<<20))) }

// Reset starts a new conversation: the next utterance is a first turn again.
func (s *Selector) Reset() { s.turns.Store(0) }

// Select returns the tier for an utterance. A non-zero dmOverride wins
// unconditionally (text 004, "Tier Selection Logic").
func (s *Selector) Select(transcript string, dmOverride mcp.BudgetTier) mcp.BudgetTier {
	return s.Decide(transcript, dmOverride).Tier
}

// Decide is [Selector.Select] with the reason.
func (s *Selector) Decide(transcript string, dmOverride mcp.BudgetTier) Decision {
	return s.decide(transcript, dmOverride, s.turns.Add(1) == 1, false)
}

// Peek is what Decide would say now. It counts neither as a turn nor as a DEEP
// selection.
func (s *Selector) Peek(transcript string, dmOverride mcp.BudgetTier) Decision {
	return s.decide(transcript, dmOverride, s.turns.Load() == 0, true)
}

func (s *Selector) decide(transcript string, dmOverride mcp.BudgetTier, first, peek bool) Decision {
	if dmOverride != mcp.BudgetFast {
		return Decision{dmOverride, ReasonOverride}
	}
	deep, standard := s.words.scan(transcript)
	crowded := s.queue.Load() >= crowd
	switch {
	case deep && s.takeDeep(peek):
		return Decision{mcp.BudgetDeep, ReasonDeep}
	case crowded:
		return Decision{mcp.BudgetFast, ReasonQueue}
	case deep:
		return Decision{mcp.BudgetStandard, ReasonSpam}
	case standard:
		return Decision{mcp.BudgetStandard, ReasonStandard}
	case first:
		return Decision{mcp.BudgetStandard, ReasonFirst}
	}
	return Decision{mcp.BudgetFast, ReasonDefault}
}

// takeDeep reports whether DEEP may be selected now, and if so starts the
// interval anew unless it only peeks. Of two concurrent calls only one succeeds.
func (s *Selector) takeDeep(peek bool) bool {
	now := int64(time.Since(s.epoch))
	last := s.lastDeep.Load()
	if s.lastDeepSet.Load() && now-last < int64(s.minDeep) {
		return false
	}
	if peek {
		return true
	}
	if !s.lastDeep.CompareAndSwap(last, now) {
		return false
	}
	s.lastDeepSet.Store(true)
	return true
}
