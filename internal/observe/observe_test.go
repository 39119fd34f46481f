package observe_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// fresh returns metrics that shut down with the test.
func fresh(t testing.TB) *observe.Metrics {
	t.Helper()
	m, err := observe.New(observe.Options{Version: "v1.2.3"})
	must(t, "New", err)
	t.Cleanup(func() { must(t, "Shutdown", m.Shutdown(t.Context())) })
	return m
}

// scrape returns the metric families Prometheus would read, by name.
func scrape(t testing.TB, m *observe.Metrics) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("/metrics answers %d: %s", w.Code, w.Body)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	must(t, "parsing metrics", err)
	return families
}

// find returns the metric of a family with all these labels, or nil.
func find(f *dto.MetricFamily, labels map[string]string) *dto.Metric {
	for _, m := range f.GetMetric() {
		got := map[string]string{}
		for _, l := range m.GetLabel() {
			got[l.GetName()] = l.GetValue()
		}
		same := len(got) == len(labels)
		for k, v := range labels {
			same = same && got[k] == v
		}
		if same {
			return m
		}
	}
	return nil
}

func TestCallsAreCounted(t *testing.T) {
	m := fresh(t)
	m.Call("roll", "ada", "builtin", "", time.Millisecond, false)
	m.Call("roll", "ada", "builtin", "ok", 40*time.Second, false)
	m.Call("roll", "ada", "builtin", "timeout", 2*time.Second, false)
	m.Call("roll", "npc:bart", "builtin", "ok", time.Nanosecond, true)
	m.Denied("roll", "ada", "forbidden", "night")
	families := scrape(t, m)
	rows := []struct {
		name, family string
		labels       map[string]string
		want         float64
	}{
		{name: "ok", family: "glyphoxa_tool_calls_total", labels: map[string]string{"tool": "roll", "caller": "ada", "source": "builtin", "code": "ok"}, want: 2},
		{name: "failed", family: "glyphoxa_tool_calls_total", labels: map[string]string{"tool": "roll", "caller": "ada", "source": "builtin", "code": "timeout"}, want: 1},
		{name: "cached", family: "glyphoxa_tool_calls_total", labels: map[string]string{"tool": "roll", "caller": "npc:bart", "source": "builtin", "code": "ok"}, want: 1},
		{name: "denied", family: "glyphoxa_denials_total", labels: map[string]string{"tool": "roll", "caller": "ada", "code": "forbidden", "rule": "night"}, want: 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := find(families[row.family], row.labels)
			if got.GetCounter().GetValue() != row.want {
				t.Errorf("%s%v = %v, want %v", row.family, row.labels, got.GetCounter(), row.want)
			}
		})
	}
	h := find(families["glyphoxa_tool_duration_seconds"], map[string]string{"tool": "roll", "source": "builtin"}).GetHistogram()
	if h.GetSampleCount() != 3 || h.GetSampleSum() < 42 || h.GetSampleSum() > 42.1 {
		t.Errorf("latencies = %v, want 3 that sum up to 42.001 s", h)
	}
	bounds := h.GetBucket()
	if first, last := bounds[0].GetUpperBound(), bounds[len(bounds)-2].GetUpperBound(); first != 0.0001 || last != 30 {
		t.Errorf("buckets run from %v to %v s, want 0.0001 to 30", first, last)
	}
}
