package access

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Defaults of a client's own budget of calls.
const (
	defaultBurst     = 100
	defaultPerSecond = 10
)

// Bounds on the calls that are remembered. Calls beyond them are refused until others have been forgotten.
const (
	maxMarks   = 1 << 18 // calls remembered for rate limits
	maxBuckets = 1 << 14 // clients with a partly used budget
)

// charge is the reason why a call is charged.
type charge int

const (
	token charge = 1 << iota // one call of the client's own budget
	mark                     // one call in each matching rate limit
)

// meter counts calls, per caller and tool for rate limits and per client for its budget. A call is charged
// fully or not at all.
type meter struct {
	rules     []*rule // set before use
	burst     int
	perSecond rate.Limit
	epoch     time.Time

	mu        sync.Mutex // guards the fields below
	marks     map[markKey]*marks
	markCount int // total number of marks
	buckets   map[string]*rate.Limiter
	// A sweep is due at these numbers.
	sweepMarks, sweepBuckets int
	swept                    time.Time
}

type markKey struct {
	rule         *rule
	caller, tool string
}

// marks are the times of the calls within a rule's window, oldest first, in nanoseconds since the meter's
// epoch. Entries before first are forgotten.
type marks struct {
	at    []int64
	first int
}

func newMeter(l config.Limits) meter {
	return meter{
		burst: cmp.Or(l.Burst, defaultBurst), perSecond: rate.Limit(cmp.Or(l.PerSecond, defaultPerSecond)),
		epoch: time.Now(), marks: map[markKey]*marks{}, buckets: map[string]*rate.Limiter{},
		sweepMarks: 1024, sweepBuckets: 1024,
	}
}

// chargeCall charges a call of tool, or returns a refusal. Limits that are not charged must still have room.
func (m *meter) chargeCall(who caller, tool string, what charge) *mcp.Refusal {
	if len(m.rules) == 0 && who.kind != client {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.sweep(now)
	if no := m.limited(who.name, tool, now); no != nil {
		return no
	}
	if what&token != 0 && who.kind == client {
		if no := m.spend(who.name, now); no != nil {
			return no
		}
	}
	if what&mark != 0 {
		m.markCall(who.name, tool, now)
	}
	return nil
}

// checkRoom returns a refusal if a call of tool could not be made now. It charges nothing.
func (m *meter) checkRoom(who caller, tool string) *mcp.Refusal {
	if len(m.rules) == 0 && who.kind != client {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if no := m.limited(who.name, tool, now); no != nil || who.kind != client {
		return no
	}
	if b := m.buckets[who.name]; b != nil && b.TokensAt(now) < 1 {
		return m.spent(b, now)
	}
	return nil
}

// chargeRequest charges the client's own budget for a request that is not a tool call, or returns a refusal.
func (m *meter) chargeRequest(who string) *mcp.Refusal {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.sweep(now)
	return m.spend(who, now)
}

// limited returns a refusal if a rate limit has no room for a call.
func (m *meter) limited(who, tool string, now time.Time) *mcp.Refusal {
	for _, r := range m.rules {
		if !r.applies(who, tool) {
			continue
		}
		if m.markCount+len(m.rules) > maxMarks {
			return crowded(r.name)
		}
		k := m.marks[markKey{r, who, tool}]
		if k == nil {
			continue
		}
		m.markCount -= k.forget(m.since(now) - int64(r.window))
		if n := len(k.at) - k.first; n >= r.calls {
			wait := k.at[len(k.at)-r.calls] + int64(r.window) - m.since(now)
			return &mcp.Refusal{
				Code: mcp.CodeCapacityExceeded, Rule: r.name, RetryAfter: ceil(time.Duration(wait)),
				Reason: "this tool was called too often", Hint: "wait " + ceil(time.Duration(wait)).String() + " before calling it again",
			}
		}
	}
	return nil
}

// markCall records a call in every matching rate limit.
func (m *meter) markCall(who, tool string, now time.Time) {
	for _, r := range m.rules {
		if !r.applies(who, tool) {
			continue
		}
		key := markKey{r, who, tool}
		k := m.marks[key]
		if k == nil {
			k = &marks{}
			m.marks[key] = k
		}
		k.at = append(k.at, m.since(now))
		m.markCount++
	}
}

// spend charges the client's own budget for a call.
func (m *meter) spend(who string, now time.Time) *mcp.Refusal {
	b := m.buckets[who]
	if b == nil {
		if len(m.buckets) >= maxBuckets {
			return crowded("")
		}
		b = rate.NewLimiter(m.perSecond, m.burst)
		m.buckets[who] = b
	}
	if b.AllowN(now, 1) {
		return nil
	}
	return m.spent(b, now)
}

// spent returns the refusal for an exhausted budget.
func (m *meter) spent(b *rate.Limiter, now time.Time) *mcp.Refusal {
	missing := (1 - b.TokensAt(now)) / float64(m.perSecond)
	// One millisecond more than needed compensates for rounding.
	wait := time.Duration(min(missing, day.Seconds())*float64(time.Second)).Truncate(time.Millisecond) + time.Millisecond
	return &mcp.Refusal{
		Code: mcp.CodeCapacityExceeded, By: "limits", RetryAfter: wait,
		Reason: "too many calls at once", Hint: "wait " + wait.String() + ", and call less often",
	}
}

// sweep forgets idle callers when many have accumulated. The next sweep is due when the remaining number has
// doubled, so that a call pays little for it. If nothing can be forgotten, it runs at most once a second.
func (m *meter) sweep(now time.Time) {
	full := m.markCount+len(m.rules) > maxMarks || len(m.buckets) >= maxBuckets
	due := m.markCount >= m.sweepMarks || len(m.buckets) >= m.sweepBuckets
	if !due && !(full && now.Sub(m.swept) >= time.Second) {
		return
	}
	m.swept = now
	for key, k := range m.marks {
		m.markCount -= k.forget(m.since(now) - int64(key.rule.window))
		if k.first == len(k.at) {
			delete(m.marks, key)
		}
	}
	for name, b := range m.buckets {
		if b.TokensAt(now) >= float64(m.burst) {
			delete(m.buckets, name)
		}
	}
	m.sweepMarks = max(1024, 2*m.markCount)
	m.sweepBuckets = max(1024, 2*len(m.buckets))
}

func (m *meter) since(now time.Time) int64 { return int64(now.Sub(m.epoch)) }

// forget drops the marks at or before t and returns their number.
func (k *marks) forget(t int64) int {
	first := k.first
	for k.first < len(k.at) && k.at[k.first] <= t {
		k.first++
	}
	dropped := k.first - first
	switch live := k.at[k.first:]; {
	case k.first <= len(k.at)/2:
		return dropped
	case cap(k.at) > 64 && len(live) < cap(k.at)/4:
		k.at = slices.Clone(live) // release memory after a burst
	default:
		k.at = k.at[:copy(k.at, live)]
	}
	k.first = 0
	return dropped
}

func crowded(rule string) *mcp.Refusal {
	return &mcp.Refusal{
		Code: mcp.CodeCapacityExceeded, Rule: rule, RetryAfter: time.Second,
		Reason: "too many callers at once", Hint: "try again later",
	}
}
