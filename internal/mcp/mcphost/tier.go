package mcphost

import (
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// minSuccesses is how many successful calls are needed before a measurement that is faster than the declared
// latency counts.
const minSuccesses = 3

// placement is the tier of a tool and the reason in words.
type placement struct {
	tier   mcp.BudgetTier
	reason string
}

// computeTier returns the tier of a tool: max(tier of its latency, floor), one slower while it is
// demoted (docs/adr/0003). It runs after each call and allocates nothing.
func (t *tool) computeTier(ceilings [2]time.Duration, m Measure) mcp.BudgetTier {
	tier := t.assumedTier(ceilings, m)
	if t.believes(ceilings, m) {
		tier = tierOf(m.P50, ceilings)
	}
	tier = max(tier, t.Floor)
	if t.health.isDemoted() {
		tier = min(tier+1, mcp.BudgetDeep)
	}
	return tier
}

// assumedTier is the tier used until a measurement counts: that of the declared latency, or STANDARD without
// one. Calls that timed out raise it, because otherwise every trial would put a slow tool that may not be
// probed back in FAST.
func (t *tool) assumedTier(ceilings [2]time.Duration, m Measure) mcp.BudgetTier {
	tier := mcp.BudgetStandard
	if d := t.expectedLatency(); d > 0 {
		tier = tierOf(d, ceilings)
	}
	if d := t.provenTimeout(m); d > 0 {
		tier = max(tier, tierOf(d, ceilings))
	}
	return tier
}

// expectedLatency is the expected duration of a call before any was measured; 0 means unknown.
func (t *tool) expectedLatency() time.Duration {
	if t.Expected != nil {
		return t.Expected()
	}
	return t.declared
}

// provenTimeout returns the longest time that a call waited without a result, or 0 if there were too few
// calls to judge by.
func (t *tool) provenTimeout(m Measure) time.Duration {
	if m.Samples < demotionSamples {
		return 0
	}
	return time.Duration(t.longestTimeout.Load())
}

// believes reports whether the measurement counts: at once if it is slower than assumed, otherwise after
// minSuccesses.
func (t *tool) believes(ceilings [2]time.Duration, m Measure) bool {
	return m.Successes >= minSuccesses || m.Successes > 0 && tierOf(m.P50, ceilings) > t.assumedTier(ceilings, m)
}

// explainTier returns the tier from computeTier with the reason in words.
func (t *tool) explainTier(ceilings [2]time.Duration, m Measure) placement {
	base, reason := t.assumedTier(ceilings, m), "latency unknown"
	switch {
	case t.believes(ceilings, m):
		base, reason = tierOf(m.P50, ceilings), "measured "+latencyText(m.P50)
	case t.provenTimeout(m) > t.expectedLatency():
		reason = "took more than " + latencyText(t.provenTimeout(m))
	case t.Expected != nil && t.expectedLatency() > 0:
		reason = "steps add up to " + latencyText(t.expectedLatency())
	case t.declared > 0:
		reason = "declared " + latencyText(t.declared)
	}
	if t.Floor > base {
		reason = "floor"
	}
	if t.health.isDemoted() {
		reason = fmt.Sprintf("demoted: %.0f %% errors", m.ErrorRate*100)
	}
	return placement{t.computeTier(ceilings, m), reason}
}

func latencyText(d time.Duration) string { return mcp.MillisText(mcp.Millis(d)) }

// tierOf returns the fastest tier whose ceiling is at least d.
func tierOf(d time.Duration, ceilings [2]time.Duration) mcp.BudgetTier {
	for i, c := range ceilings {
		if d <= c {
			return mcp.BudgetTier(i)
		}
	}
	return mcp.BudgetDeep
}
