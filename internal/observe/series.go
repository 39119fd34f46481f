package observe

import (
	"strings"
	"sync"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Bounds on labels: whoever calls may invent names, and each distinct set of
// labels costs memory for good, here and in Prometheus.
const (
	maxTools   = 1000
	maxCallers = 200
	maxSources = 200
	maxCodes   = 40
	maxRules   = 200
	// maxSeries bounds the sets of labels of one instrument.
	maxSeries = 20_000
	// maxLabel is the longest label in bytes.
	maxLabel = 200
	// other stands for what is beyond a bound.
	other = "other"
)

// known is the set of values a label may have. It is safe for concurrent use.
type known struct {
	mu     sync.Mutex // guards values
	values map[string]string
}

// admit returns value if it is known or there is room to know it, else "other".
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
	value = strings.Clone(value) // it may be part of something large
	k.values[value] = value
	return value
}

// labels are the label values seen so far.
type labels struct{ tools, callers, sources, codes, rules known }

// tool admits a tool's name. One that does not exist is the caller's invention
// and must not take the place of a tool's.
func (l *labels) tool(tool, code string) string {
	if code == string(mcp.CodeNotFound) {
		return other
	}
	return l.tools.admit(tool, maxTools)
}

// callKey are the labels of a call that was let through.
type callKey struct{ tool, caller, source, code string }

// callSeries are a call's labels as the instruments take them.
type callSeries struct {
	add    []metric.AddOption
	record []metric.RecordOption
}

func (l *labels) call(k callKey) callKey {
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

func (k callKey) series() callSeries {
	tool, source := attribute.String("tool", k.tool), attribute.String("source", k.source)
	all := attribute.NewSet(tool, attribute.String("caller", k.caller), source, attribute.String("code", k.code))
	return callSeries{
		add:    []metric.AddOption{metric.WithAttributeSet(all)},
		record: []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(tool, source))},
	}
}

// denialKey are the labels of a call that was not let through.
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

func (k denialKey) series() []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(
		attribute.String("tool", k.tool), attribute.String("caller", k.caller),
		attribute.String("code", k.code), attribute.String("rule", k.rule)))}
}

// key is a set of labels; series is what the instruments take for it, rest what
// it counts as where there is no room.
type key[K any, V any] interface {
	comparable
	rest() K
	series() V
}

// cache remembers the series of an instrument. It is safe for concurrent use.
type cache[K key[K, V], V any] struct {
	mu   sync.RWMutex // guards seen
	seen map[K]V
}

// get returns the series for k. What is not there is added under its admitted
// labels, which are bounded; k itself may be anything.
func (c *cache[K, V]) get(k K, admit func(K) K) V {
	if v, found := c.find(k); found {
		return v
	}
	k = admit(k)
	if v, found := c.find(k); found {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxSeries {
		k = k.rest() // of which there are no more than codes
	}
	if v, found := c.seen[k]; found {
		return v
	}
	if c.seen == nil {
		c.seen = make(map[K]V)
	}
	v := k.series()
	c.seen[k] = v
	return v
}

func (c *cache[K, V]) find(k K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, found := c.seen[k]
	return v, found
}
