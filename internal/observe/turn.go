package observe

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// maxNames limits the steps, the stages and the outcomes that are counted separately.
const maxNames = 50

// stageBuckets returns the upper bounds of turn stages, in seconds. They are densest
// around the targets of turns.
func stageBuckets() []float64 {
	return []float64{.001, .005, .01, .025, .05, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 4, 6, 10, 15, 30}
}

// turns counts the outcomes of turns at a table.
type turns struct {
	steps, stages, outcomes, reasons    known
	policies, durations, ends, withheld counters[nameKey]
	barges                              atomic.Int64
	stage                               metric.Float64Histogram
}

func (t *turns) instruments(m metric.Meter) error {
	var errs [5]error
	_, errs[0] = m.Int64ObservableCounter("glyphoxa.latency.policy", metric.WithInt64Callback(t.policies.observe),
		metric.WithDescription("Steps taken because an answer was expected too late."))
	_, errs[1] = m.Int64ObservableCounter("glyphoxa.turns", metric.WithInt64Callback(t.ends.observe),
		metric.WithDescription("Turns that have ended, by how."))
	_, errs[2] = m.Int64ObservableCounter("glyphoxa.barge.ins", metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(t.barges.Load())
		return nil
	}), metric.WithDescription("Times a player took the floor from an NPC."))
	t.stage, errs[3] = m.Float64Histogram("glyphoxa.stage", metric.WithUnit("s"),
		metric.WithDescription("How long the stages of turns took."),
		metric.WithExplicitBucketBoundaries(stageBuckets()...))
	_, errs[4] = m.Int64ObservableCounter("glyphoxa.guarded", metric.WithInt64Callback(t.withheld.observe),
		metric.WithDescription("Times that something was withheld which an NPC was about to say, by why."))
	return errors.Join(errs[:]...)
}

// nameKey is a series with a single label.
type nameKey struct{ label, name string }

func (k nameKey) rest() nameKey { return nameKey{k.label, other} }

func (k nameKey) series() *series {
	set := metric.WithAttributeSet(attribute.NewSet(attribute.String(k.label, k.name)))
	return &series{labels: []metric.ObserveOption{set}, latency: []metric.RecordOption{set}}
}

// Policy counts a step taken because an answer was expected to be late, such as
// "lower_tier". At most 50 steps are counted separately; the rest count as "other".
func (m *Metrics) Policy(step string) {
	m.turns.policies.getSeries(nameKey{"step", step}, func(k nameKey) nameKey {
		return nameKey{k.label, m.turns.steps.admit(k.name, maxNames)}
	}).count.Add(1)
}

// Stage records how long a stage of a turn took, such as "model". A negative time counts
// as 0. At most 50 stages are counted separately; the rest count as "other".
func (m *Metrics) Stage(stage string, d time.Duration) {
	s := m.turns.durations.getSeries(nameKey{"stage", stage}, func(k nameKey) nameKey {
		return nameKey{k.label, m.turns.stages.admit(k.name, maxNames)}
	})
	m.turns.stage.Record(context.Background(), max(d, 0).Seconds(), s.latency...)
}

// Turn counts a turn that has ended; outcome says how, such as "delivered". At most 50
// outcomes are counted separately; the rest count as "other".
func (m *Metrics) Turn(outcome string) {
	m.turns.ends.getSeries(nameKey{"outcome", outcome}, func(k nameKey) nameKey {
		return nameKey{k.label, m.turns.outcomes.admit(k.name, maxNames)}
	}).count.Add(1)
}

// Guarded counts withheld sentences of NPCs; reason says why, such as "secret". At most
// 50 reasons are counted separately; the rest count as "other".
func (m *Metrics) Guarded(reason string) {
	m.turns.withheld.getSeries(nameKey{"reason", reason}, func(k nameKey) nameKey {
		return nameKey{k.label, m.turns.reasons.admit(k.name, maxNames)}
	}).count.Add(1)
}

// BargeIn counts a player's interruption of an NPC.
func (m *Metrics) BargeIn() { m.turns.barges.Add(1) }
