// Package tier selects the budget tier for an utterance from its words and the state of the conversation,
// without a model and within microseconds:
//
//	s := tier.NewSelector()
//	t := s.Select("Think carefully: who forged the ring?", mcp.BudgetFast) // mcp.BudgetDeep
//
// It does no I/O and starts no goroutines.
package tier

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// crowd is the number of waiting players from which speed matters more than depth.
const crowd = 3

// Reasons in a [Decision].
const (
	ReasonOverride = "dm override"
	ReasonDeep     = "deep keyword"
	ReasonSpam     = "deep keyword again too soon"
	ReasonQueue    = "players are waiting"
	ReasonStandard = "standard keyword"
	ReasonFirst    = "first turn"
	ReasonDefault  = "default"
)

// Decision is a selected tier and the reason.
type Decision struct {
	Tier   mcp.BudgetTier
	Reason string
}

// Selector selects tiers for the conversation of one NPC, independently of other NPCs. It is safe for
// concurrent use.
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
	loose          map[mcp.BudgetTier][]string
	ownWords       bool // deep or standard are not the defaults
}

// Option configures a Selector.
type Option func(*options)

// WithMinDeepInterval sets how long after a DEEP selection, including one by the DM, a DEEP keyword selects
// only STANDARD. The default is 30 s; 0 disables the interval.
func WithMinDeepInterval(d time.Duration) Option {
	return func(o *options) { o.minDeep = d }
}

// WithDeepKeywords replaces the DEEP phrases. A phrase matches whole words in any case; "…" or "..." inside
// it matches any words of the same sentence.
func WithDeepKeywords(phrases ...string) Option {
	return func(o *options) {
		o.deep, o.ownWords = phrases, true
		delete(o.loose, mcp.BudgetDeep)
	}
}

// WithStandardKeywords replaces the STANDARD phrases, see [WithDeepKeywords].
func WithStandardKeywords(phrases ...string) Option {
	return func(o *options) {
		o.standard, o.ownWords = phrases, true
		delete(o.loose, mcp.BudgetStandard)
	}
}

// NewSelector returns a Selector for a new conversation. Without options it uses the English and German
// default phrases.
func NewSelector(opts ...Option) *Selector {
	o := options{minDeep: 30 * time.Second, deep: deepPhrases, standard: standardPhrases, loose: defaultPatterns()}
	for _, opt := range opts {
		opt(&o)
	}
	words := defaultMatcher()
	if o.ownWords {
		words = compile(o.deep, o.standard, o.loose)
	}
	return &Selector{words: words, minDeep: o.minDeep, epoch: time.Now()}
}

// defaultMatcher returns the matcher of the default phrases.
var defaultMatcher = sync.OnceValue(func() *matcher {
	return compile(deepPhrases, standardPhrases, defaultPatterns())
})

func defaultPatterns() map[mcp.BudgetTier][]string {
	return map[mcp.BudgetTier][]string{mcp.BudgetDeep: deepPatterns, mcp.BudgetStandard: standardPatterns}
}

// SetQueueDepth sets the number of players who wait for an answer.
func (s *Selector) SetQueueDepth(players int) { s.queue.Store(int32(min(players, 1<<20))) }

// Reset starts a new conversation: the next utterance is a first turn again.
func (s *Selector) Reset() { s.turns.Store(0) }

// Select returns the tier for an utterance. A dmOverride other than BudgetFast always wins.
func (s *Selector) Select(transcript string, dmOverride mcp.BudgetTier) mcp.BudgetTier {
	return s.Decide(transcript, dmOverride).Tier
}

// Decide returns the tier from Select with the reason.
func (s *Selector) Decide(transcript string, dmOverride mcp.BudgetTier) Decision {
	return s.decide(transcript, dmOverride, s.turns.Add(1) == 1, false)
}

// Peek returns what Decide would return now. It does not count as a turn or as a DEEP selection.
func (s *Selector) Peek(transcript string, dmOverride mcp.BudgetTier) Decision {
	return s.decide(transcript, dmOverride, s.turns.Load() == 0, true)
}

func (s *Selector) decide(transcript string, dmOverride mcp.BudgetTier, first, peek bool) Decision {
	if dmOverride != mcp.BudgetFast {
		if dmOverride == mcp.BudgetDeep && !peek {
			s.startInterval()
		}
		return Decision{dmOverride, ReasonOverride}
	}
	deep, standard := s.words.scan(transcript)
	crowded := s.queue.Load() >= crowd
	switch {
	case deep && s.allowDeep(peek):
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

// startInterval restarts the interval between DEEP selections.
func (s *Selector) startInterval() {
	s.lastDeep.Store(int64(time.Since(s.epoch)))
	s.lastDeepSet.Store(true)
}

// allowDeep reports whether DEEP may be selected now. If so, it restarts the interval unless peek is set. Of
// two concurrent calls, only one succeeds.
func (s *Selector) allowDeep(peek bool) bool {
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
