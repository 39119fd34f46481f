package observe_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

func TestTurnsAreCounted(t *testing.T) {
	m := fresh(t)
	m.Policy("lower_tier")
	m.Policy("filler")
	m.Policy("filler")
	m.Stage("model", 800*time.Millisecond)
	m.Stage("model", 20*time.Second)
	m.Stage("voice", -time.Second)
	m.Turn("delivered")
	m.Turn("delivered")
	m.Turn("barged")
	m.BargeIn()
	families := scrape(t, m)
	for outcome, want := range map[string]float64{"delivered": 2, "barged": 1} {
		got := find(families["glyphoxa_turns_total"], map[string]string{"outcome": outcome})
		if got.GetCounter().GetValue() != want {
			t.Errorf("%s = %v, want %v", outcome, got.GetCounter(), want)
		}
	}
	if got := find(families["glyphoxa_barge_ins_total"], nil).GetCounter().GetValue(); got != 1 {
		t.Errorf("barge-ins = %v, want 1", got)
	}
	for step, want := range map[string]float64{"lower_tier": 1, "filler": 2} {
		got := find(families["glyphoxa_latency_policy_total"], map[string]string{"step": step})
		if got.GetCounter().GetValue() != want {
			t.Errorf("%s = %v, want %v", step, got.GetCounter(), want)
		}
	}
	for _, row := range []struct {
		stage string
		count uint64
		sum   float64
	}{{"model", 2, 20.8}, {"voice", 1, 0}} {
		h := find(families["glyphoxa_stage_seconds"], map[string]string{"stage": row.stage}).GetHistogram()
		if h.GetSampleCount() != row.count || h.GetSampleSum() != row.sum {
			t.Errorf("%s = %v, want %d that sum up to %v s", row.stage, h, row.count, row.sum)
		}
	}
}

func TestNamesOfTurnsAreBounded(t *testing.T) {
	for _, row := range []struct {
		name, family, label string
		call                func(m *observe.Metrics, name string)
	}{
		{"steps", "glyphoxa_latency_policy_total", "step", func(m *observe.Metrics, name string) { m.Policy(name) }},
		{"outcomes", "glyphoxa_turns_total", "outcome", func(m *observe.Metrics, name string) { m.Turn(name) }},
		{"stages", "glyphoxa_stage_seconds", "stage", func(m *observe.Metrics, name string) { m.Stage(name, time.Second) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := fresh(t)
			for n := range 100 {
				row.call(m, fmt.Sprint("n", n))
			}
			family := scrape(t, m)[row.family]
			if n := len(family.GetMetric()); n != 51 {
				t.Errorf("%d series, want 50 and other", n)
			}
			rest := find(family, map[string]string{row.label: "other"})
			if got := rest.GetCounter().GetValue() + float64(rest.GetHistogram().GetSampleCount()); got != 50 {
				t.Errorf("other = %v, want 50", got)
			}
		})
	}
}

func TestTurnsOfManyTables(t *testing.T) {
	m := fresh(t)
	var tables sync.WaitGroup
	for range 8 {
		tables.Go(func() {
			for range 500 {
				m.Policy("opener")
				m.Stage("context", time.Millisecond)
				m.Turn("delivered")
				m.BargeIn()
			}
		})
	}
	tables.Wait()
	families := scrape(t, m)
	if got := find(families["glyphoxa_latency_policy_total"], map[string]string{"step": "opener"}).GetCounter().GetValue(); got != 4000 {
		t.Errorf("%v steps, want 4000", got)
	}
	if got := find(families["glyphoxa_turns_total"], map[string]string{"outcome": "delivered"}).GetCounter().GetValue(); got != 4000 {
		t.Errorf("%v turns, want 4000", got)
	}
	if got := find(families["glyphoxa_barge_ins_total"], nil).GetCounter().GetValue(); got != 4000 {
		t.Errorf("%v barge-ins, want 4000", got)
	}
	if got := find(families["glyphoxa_stage_seconds"], map[string]string{"stage": "context"}).GetHistogram().GetSampleCount(); got != 4000 {
		t.Errorf("%v stages, want 4000", got)
	}
}

// BenchmarkStage measures what a stage adds to a turn.
func BenchmarkStage(b *testing.B) {
	m := fresh(b)
	b.ReportAllocs()
	for b.Loop() {
		m.Stage("model", time.Second)
	}
}
