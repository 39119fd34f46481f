package observe

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Limits on labels, because callers may invent names, and each distinct set of labels
// costs memory for the life of the process, here and in Prometheus.
const (
	maxTools   = 1000
	maxCallers = 200
	maxSources = 200
	maxCodes   = 40
	maxRules   = 200
	// maxSeries limits the sets of labels of one instrument.
	maxSeries = 10_000
	// maxLabel is the longest label in bytes.
	maxLabel = 200
	// other stands for labels beyond a limit.
	other = "other"
)

// known is the set of values of a label. It is safe for concurrent use.
type known struct {
	mu     sync.Mutex // guards values
	values map[string]string
}

// admit returns value if it is known or there is room for it, else "other".
func (k *known) admit(value string, most int) string {
	if len(value) > maxLabel || !utf8.ValidString(value) {
		return other
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, found := k.values[value]; found {
		return v
	}
	if len(k.values) >= most {
		return other
	}
	if k.values == nil {
		k.values = make(map[string]string)
	}
	value = strings.Clone(value) // value may be part of a large string
	k.values[value] = value
	return value
}

// labels are the label values seen so far.
type labels struct{ tools, callers, sources, codes, rules known }

// tool admits a tool's name. An unknown name is the caller's invention and must not take
// the place of a real tool.
func (l *labels) tool(tool, code string) string {
	if code == string(mcp.CodeNotFound) {
		return other
	}
	return l.tools.admit(tool, maxTools)
}

// callKey is the set of labels of a permitted call.
type callKey struct{ tool, caller, source, code string }

func (l *labels) admitCall(k callKey) callKey {
	return callKey{
		tool:   l.tool(k.tool, k.code),
		caller: l.callers.admit(k.caller, maxCallers),
		source: l.sources.admit(k.source, maxSources),
		code:   l.codes.admit(k.code, maxCodes),
	}
}

func (k callKey) rest() callKey {
	return callKey{tool: other, caller: other, source: other, code: k.code}
}

func (k callKey) series() *series {
	tool, source := attribute.String("tool", k.tool), attribute.String("source", k.source)
	return &series{
		labels: []metric.ObserveOption{metric.WithAttributeSet(attribute.NewSet(
			tool, attribute.String("caller", k.caller), source, attribute.String("code", k.code)))},
		latency: []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(tool, source))},
	}
}

// denialKey is the set of labels of a refused call.
type denialKey struct{ tool, caller, code, rule string }

func (l *labels) denial(k denialKey) denialKey {
	return denialKey{
		tool:   l.tool(k.tool, k.code),
		caller: l.callers.admit(k.caller, maxCallers),
		code:   l.codes.admit(k.code, maxCodes),
		rule:   l.rules.admit(k.rule, maxRules),
	}
}

func (k denialKey) rest() denialKey {
	return denialKey{tool: other, caller: other, code: k.code, rule: other}
}

func (k denialKey) series() *series {
	return &series{labels: []metric.ObserveOption{metric.WithAttributeSet(attribute.NewSet(
		attribute.String("tool", k.tool), attribute.String("caller", k.caller),
		attribute.String("code", k.code), attribute.String("rule", k.rule)))}}
}

// series is a counter under one set of labels.
type series struct {
	count  atomic.Int64
	labels []metric.ObserveOption
	// latency holds the labels of the histogram for the same calls.
	latency []metric.RecordOption
}

// key is a set of labels: series creates its series, and rest returns the key to use if
// there is no room.
type key[K any] interface {
	comparable
	rest() K
	series() *series
}

// counters holds the series of one instrument. It is safe for concurrent use.
type counters[K key[K]] struct {
	mu   sync.RWMutex // guards seen
	seen map[K]*series
}

// getSeries returns the series for k. A missing series is added under its admitted
// labels, which are bounded; k itself may be anything.
func (c *counters[K]) getSeries(k K, admit func(K) K) *series {
	if s := c.findSeries(k); s != nil {
		return s
	}
	k = admit(k)
	if s := c.findSeries(k); s != nil {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, found := c.seen[k]; !found && len(c.seen) >= maxSeries {
		k = k.rest() // there are no more of these than codes
	}
	s := c.seen[k]
	if s == nil {
		if c.seen == nil {
			c.seen = make(map[K]*series)
		}
		s = k.series()
		c.seen[k] = s
	}
	return s
}

func (c *counters[K]) findSeries(k K) *series {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.seen[k]
}

// observe reports all counts to o.
func (c *counters[K]) observe(_ context.Context, o metric.Int64Observer) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.seen {
		o.Observe(s.count.Load(), s.labels...)
	}
	return nil
}
