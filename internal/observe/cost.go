package observe

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// maxProviders limits the number of separate providers, maxCurrencies that of currencies,
// because an operator has one.
const (
	maxProviders  = 100
	maxCurrencies = 10
)

// spending counts the usage of providers, and its cost.
type spending struct {
	providers, currencies known
	usage, sound, amounts counters[spendKey]
}

func (s *spending) instruments(m metric.Meter) error {
	var errs [3]error
	_, errs[0] = m.Int64ObservableCounter("glyphoxa.usage", metric.WithInt64Callback(s.usage.observe),
		metric.WithDescription("Tokens and characters that went to providers and came from them, by kind."))
	_, errs[1] = m.Float64ObservableCounter("glyphoxa.sound", metric.WithUnit("s"), metric.WithFloat64Callback(s.sound.observeIn(1/float64(time.Second))),
		metric.WithDescription("Sound that was sent to providers and came from them."))
	_, errs[2] = m.Float64ObservableCounter("glyphoxa.cost", metric.WithFloat64Callback(s.amounts.observeIn(cost.Amount(1).Units())),
		metric.WithDescription("What providers cost, as far as there are prices."))
	return errors.Join(errs[:]...)
}

// spendKey is a provider and a second label.
type spendKey struct{ provider, label, value string }

func (k spendKey) rest() spendKey { return spendKey{other, k.label, other} }

func (k spendKey) series() *series {
	return &series{labels: []metric.ObserveOption{metric.WithAttributeSet(attribute.NewSet(
		attribute.String("provider", k.provider), attribute.String(k.label, k.value)))}}
}

// observeIn reports all counts as multiples of a unit.
func (c *counters[K]) observeIn(unit float64) metric.Float64Callback {
	return func(_ context.Context, o metric.Float64Observer) error {
		c.mu.RLock()
		defer c.mu.RUnlock()
		for _, s := range c.seen {
			o.Observe(float64(s.count.Load())*unit, s.labels...)
		}
		return nil
	}
}

// Spent counts the usage of a provider, and its cost in a currency. At most 100 providers
// are counted separately; the rest count as "other".
func (m *Metrics) Spent(provider string, u cost.Usage, a cost.Amount, currency string) {
	s := &m.spending
	admit := func(k spendKey) spendKey {
		k.provider = s.providers.admit(k.provider, maxProviders)
		if k.label == "currency" {
			k.value = s.currencies.admit(k.value, maxCurrencies)
		}
		return k
	}
	add := func(to *counters[spendKey], label, value string, n int64) {
		if n > 0 {
			to.getSeries(spendKey{provider, label, value}, admit).count.Add(n)
		}
	}
	add(&s.usage, "kind", "input_tokens", u.Input)
	add(&s.usage, "kind", "output_tokens", u.Output)
	add(&s.usage, "kind", "audio_input_tokens", u.AudioInput)
	add(&s.usage, "kind", "audio_output_tokens", u.AudioOutput)
	add(&s.usage, "kind", "cached_tokens", u.Cached)
	add(&s.usage, "kind", "estimated_tokens", u.Estimated)
	add(&s.usage, "kind", "characters", u.Characters)
	add(&s.sound, "direction", "heard", int64(u.Heard))
	add(&s.sound, "direction", "spoken", int64(u.Spoken))
	add(&s.amounts, "currency", currency, int64(a))
}
