package observe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

func TestSpendingIsCounted(t *testing.T) {
	m := fresh(t)
	u := cost.Usage{
		Input: 100, Output: 20, AudioInput: 7, AudioOutput: 8, Cached: 30, Estimated: 5, Characters: 40,
		Heard: 1500 * time.Millisecond, Spoken: 2 * time.Second,
	}
	m.Spent("openai a", u, cost.Units(0.25), "EUR")
	m.Spent("openai a", u, cost.Units(0.5), "EUR")
	m.Spent("openai b", cost.Usage{Input: 1}, 0, "EUR")
	families := scrape(t, m)
	for _, row := range []struct {
		family, provider, label, value string
		want                           float64
	}{
		{"glyphoxa_usage_total", "openai a", "kind", "input_tokens", 200},
		{"glyphoxa_usage_total", "openai a", "kind", "output_tokens", 40},
		{"glyphoxa_usage_total", "openai a", "kind", "audio_input_tokens", 14},
		{"glyphoxa_usage_total", "openai a", "kind", "audio_output_tokens", 16},
		{"glyphoxa_usage_total", "openai a", "kind", "cached_tokens", 60},
		{"glyphoxa_usage_total", "openai a", "kind", "estimated_tokens", 10},
		{"glyphoxa_usage_total", "openai a", "kind", "characters", 80},
		{"glyphoxa_usage_total", "openai b", "kind", "input_tokens", 1},
		{"glyphoxa_sound_seconds_total", "openai a", "direction", "heard", 3},
		{"glyphoxa_sound_seconds_total", "openai a", "direction", "spoken", 4},
		{"glyphoxa_cost_total", "openai a", "currency", "EUR", 0.75},
	} {
		got := find(families[row.family], map[string]string{"provider": row.provider, row.label: row.value})
		if got.GetCounter().GetValue() != row.want {
			t.Errorf("%s of %s, %s = %v, want %v", row.family, row.provider, row.value, got.GetCounter(), row.want)
		}
	}
	if n := len(families["glyphoxa_cost_total"].GetMetric()); n != 1 {
		t.Errorf("%d series of cost, want 1: what cost nothing has none", n)
	}
}

func TestProvidersAreBounded(t *testing.T) {
	m := fresh(t)
	for i := range 300 {
		m.Spent(fmt.Sprint("provider ", i), cost.Usage{Input: 1, Heard: time.Second}, cost.Units(1), fmt.Sprint("coin ", i))
	}
	families := scrape(t, m)
	for family, want := range map[string]float64{"glyphoxa_usage_total": 200, "glyphoxa_sound_seconds_total": 200} {
		all := families[family].GetMetric()
		label, value := "kind", "input_tokens"
		if family == "glyphoxa_sound_seconds_total" {
			label, value = "direction", "heard"
		}
		other := find(families[family], map[string]string{"provider": "other", label: value})
		if len(all) != 101 || other.GetCounter().GetValue() != want {
			t.Errorf("%s has %d series, %v of them other; want 101 and %v", family, len(all), other.GetCounter(), want)
		}
	}
	if other := find(families["glyphoxa_cost_total"], map[string]string{"provider": "other", "currency": "other"}); other.GetCounter().GetValue() != 200 {
		t.Errorf("other currencies of others = %v, want 200", other.GetCounter())
	}
}
