package observe_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

// values returns the distinct values of a label and the number of calls in the whole
// family.
func values(f *dto.MetricFamily, label string) (distinct map[string]bool, sum float64) {
	distinct = map[string]bool{}
	for _, m := range f.GetMetric() {
		sum += m.GetCounter().GetValue()
		for _, l := range m.GetLabel() {
			if l.GetName() == label {
				distinct[l.GetValue()] = true
			}
		}
	}
	return distinct, sum
}

func TestLabelsAreBounded(t *testing.T) {
	rows := []struct {
		name, family, label string
		call                func(m *observe.Metrics, n int)
		most                int
	}{
		{name: "tools", family: "glyphoxa_tool_calls_total", label: "tool", most: 1001, call: func(m *observe.Metrics, n int) {
			m.Call(fmt.Sprint("t", n), "ada", "builtin", "ok", time.Millisecond, false)
		}},
		{name: "callers", family: "glyphoxa_tool_calls_total", label: "caller", most: 201, call: func(m *observe.Metrics, n int) {
			m.Call("roll", fmt.Sprint("c", n), "builtin", "ok", time.Millisecond, false)
		}},
		{name: "sources", family: "glyphoxa_tool_calls_total", label: "source", most: 201, call: func(m *observe.Metrics, n int) {
			m.Call("roll", "ada", fmt.Sprint("s", n), "ok", time.Millisecond, false)
		}},
		{name: "codes", family: "glyphoxa_tool_calls_total", label: "code", most: 41, call: func(m *observe.Metrics, n int) {
			m.Call("roll", "ada", "builtin", fmt.Sprint("e", n), time.Millisecond, false)
		}},
		{name: "denied_tools", family: "glyphoxa_denials_total", label: "tool", most: 1001, call: func(m *observe.Metrics, n int) {
			m.Denied(fmt.Sprint("t", n), "ada", "forbidden", "")
		}},
		{name: "rules", family: "glyphoxa_denials_total", label: "rule", most: 201, call: func(m *observe.Metrics, n int) {
			m.Denied("roll", "ada", "forbidden", fmt.Sprint("r", n))
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m := fresh(t)
			const calls = 1500
			for n := range calls {
				row.call(m, n)
			}
			row.call(m, 0)
			distinct, sum := values(scrape(t, m)[row.family], row.label)
			if len(distinct) != row.most || !distinct["other"] || sum != calls+1 {
				t.Errorf("%d values of %s over %v calls, want %d with other over %d", len(distinct), row.label, sum, row.most, calls+1)
			}
		})
	}
}

func TestSetsOfLabelsAreBounded(t *testing.T) {
	m := fresh(t)
	const callers, tools = 200, 60
	for c := range callers {
		for n := range tools {
			m.Call(fmt.Sprint("t", n), fmt.Sprint("c", c), "builtin", "ok", 0, true)
			m.Denied(fmt.Sprint("t", n), fmt.Sprint("c", c), "forbidden", "night")
		}
	}
	families := scrape(t, m)
	for _, name := range []string{"glyphoxa_tool_calls_total", "glyphoxa_denials_total"} {
		_, sum := values(families[name], "tool")
		if n := len(families[name].GetMetric()); n != 10_001 || sum != callers*tools {
			t.Errorf("%s has %d series over %v calls, want 10001 over %d", name, n, sum, callers*tools)
		}
	}
}

func TestInventedNamesTakeNoRoom(t *testing.T) {
	rows := []struct{ name, tool, code string }{
		{name: "not_found", tool: "made_up", code: "not_found"},
		{name: "long", tool: strings.Repeat("x", 201), code: "forbidden"},
		{name: "broken_utf8", tool: "x\xff", code: "forbidden"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m := fresh(t)
			m.Call(row.tool, "eve", "builtin", row.code, 0, false)
			m.Denied(row.tool, "eve", row.code, "")
			families := scrape(t, m)
			for _, name := range []string{"glyphoxa_tool_calls_total", "glyphoxa_denials_total"} {
				if got, _ := values(families[name], "tool"); len(got) != 1 || !got["other"] {
					t.Errorf("tools of %s = %v, want other alone", name, got)
				}
			}
		})
	}
}

// TestEveryCallIsCounted checks the sums of arbitrary calls.
func TestEveryCallIsCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := fresh(t)
		calls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [4]string {
			return [4]string{rapid.String().Draw(t, "tool"), rapid.String().Draw(t, "caller"), rapid.String().Draw(t, "source"),
				rapid.SampledFrom([]string{"", "ok", "not_found", "timeout"}).Draw(t, "code")}
		}), 1, 50).Draw(rt, "calls")
		for _, c := range calls {
			m.Call(c[0], c[1], c[2], c[3], time.Millisecond, false)
		}
		families := scrape(t, m)
		codes, sum := values(families["glyphoxa_tool_calls_total"], "code")
		var timed uint64
		for _, h := range families["glyphoxa_tool_duration_seconds"].GetMetric() {
			timed += h.GetHistogram().GetSampleCount()
		}
		if sum != float64(len(calls)) || timed != uint64(len(calls)) || codes[""] {
			rt.Errorf("%v calls counted and %d timed under codes %v, want %d", sum, timed, codes, len(calls))
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	m := fresh(t)
	const callers, each = 8, 500
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for n := range each {
				m.Call(fmt.Sprint("t", n%20), fmt.Sprint("c", c), "builtin", "ok", time.Millisecond, n%2 == 0)
				m.Denied(fmt.Sprint("t", n%20), fmt.Sprint("c", c), "forbidden", "")
			}
		})
	}
	wg.Go(func() {
		for n := range 10 {
			must(t, "Gauge", m.Gauge(fmt.Sprint("glyphoxa_gauge_", n), "x", func() float64 { return 1 }))
			scrape(t, m)
		}
	})
	wg.Wait()
	families := scrape(t, m)
	for _, name := range []string{"glyphoxa_tool_calls_total", "glyphoxa_denials_total"} {
		if _, sum := values(families[name], "tool"); sum != callers*each {
			t.Errorf("%s counts %v, want %d", name, sum, callers*each)
		}
	}
}

func TestGauge(t *testing.T) {
	m := fresh(t)
	depth := 3.0
	must(t, "Gauge", m.Gauge("glyphoxa_queue_depth", "Records that wait.", func() float64 { return depth }))
	for _, want := range []float64{3, 7} {
		depth = want
		f := scrape(t, m)["glyphoxa_queue_depth"]
		if got := f.GetMetric()[0].GetGauge().GetValue(); got != want || f.GetHelp() != "Records that wait." {
			t.Errorf("gauge = %v %q, want %v with its description", got, f.GetHelp(), want)
		}
	}
	for _, name := range []string{"", "glyphoxa_", "queue_depth", "glyphoxa_Depth", "glyphoxa_a b", "glyphoxa_a_", "glyphoxa_queue_depth"} {
		if err := m.Gauge(name, "", func() float64 { return 0 }); !errors.Is(err, observe.ErrGauge) {
			t.Errorf("Gauge(%q) = %v, want ErrGauge", name, err)
		}
	}
}

func TestProcessAndVersionAreShown(t *testing.T) {
	families := scrape(t, fresh(t))
	for _, name := range []string{"glyphoxa_build_info", "go_goroutines", "process_start_time_seconds"} {
		if families[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	labels := map[string]string{}
	for _, l := range families["glyphoxa_build_info"].GetMetric()[0].GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	if labels["version"] != "v1.2.3" {
		t.Errorf("build info = %v, want version v1.2.3", labels)
	}
}

func TestMetricsAreNobodyElses(t *testing.T) {
	a, b := fresh(t), fresh(t)
	a.Call("roll", "ada", "builtin", "ok", 0, false)
	if scrape(t, b)["glyphoxa_tool_calls_total"] != nil {
		t.Error("a call shows in the metrics of another")
	}
	global, err := prometheus.DefaultGatherer.Gather()
	must(t, "Gather", err)
	for _, f := range global {
		if strings.HasPrefix(f.GetName(), "glyphoxa") {
			t.Errorf("%s is in the global registry", f.GetName())
		}
	}
}

func TestHandlerRefuses(t *testing.T) {
	m := fresh(t)
	ask := func(method string) int {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(method, "/metrics", nil))
		return w.Code
	}
	if got := ask(http.MethodPost); got != http.StatusMethodNotAllowed {
		t.Errorf("POST answers %d, want 405", got)
	}
	must(t, "Shutdown", m.Shutdown(t.Context()))
	m.Call("roll", "ada", "builtin", "ok", 0, false)
	if got := ask(http.MethodGet); got != http.StatusServiceUnavailable {
		t.Errorf("after Shutdown %d, want 503", got)
	}
}
