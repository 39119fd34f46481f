// Package observe exposes the state of the process: metrics for Prometheus, through
// OpenTelemetry, and health for probes.
//
// It keeps nothing in global registries and starts goroutines only while a readiness
// probe runs, which [Health.Shutdown] waits for. It sends nothing by itself; clients
// request the data.
package observe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
)

// ErrGauge means that a gauge has an invalid or existing name.
var ErrGauge = errors.New("gauge cannot be added")

const (
	scope = "github.com/MrWong99/glyphoxa"
	// codeOK is the code of a successful call.
	codeOK = "ok"
	// maxScrapes limits concurrent scrapes; further ones are refused.
	maxScrapes    = 4
	scrapeTimeout = 30 * time.Second
)

// buckets returns the upper bounds of tool latencies, in seconds.
func buckets() []float64 {
	return []float64{
		.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5,
		1, 1.5, 2.5, 5, 10, 30,
	}
}

// Options configure [Metrics]. The zero value works.
type Options struct {
	// Version is the value of glyphoxa_build_info. If empty, "unknown".
	Version string
}

// Metrics counts calls and turns. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	provider *sdk.MeterProvider
	meter    metric.Meter

	labels   labels
	calls    counters[callKey]
	denials  counters[denialKey]
	duration metric.Float64Histogram
	turns    turns
	spending spending

	mu     sync.Mutex // guards gauges
	gauges map[string]bool

	down atomic.Bool
}

// New returns metrics with all counts at zero, besides those of the Go runtime and the
// process.
func New(opts Options) (*Metrics, error) {
	if opts.Version == "" {
		opts.Version = "unknown"
	}
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo())
	if err != nil {
		return nil, fmt.Errorf("setting up metrics: %w", err)
	}
	m := &Metrics{
		registry: registry,
		// The SDK's limit on series is not needed, because ours are bounded, and would
		// merge series that ours keep apart.
		provider: sdk.NewMeterProvider(sdk.WithReader(reader), sdk.WithCardinalityLimit(0),
			sdk.WithExemplarFilter(exemplar.AlwaysOffFilter)),
		gauges: make(map[string]bool),
	}
	m.meter = m.provider.Meter(scope)
	if err := errors.Join(m.instruments(), m.process(opts.Version)); err != nil {
		return nil, fmt.Errorf("setting up metrics: %w", err)
	}
	return m, nil
}

func (m *Metrics) instruments() error {
	var errs [5]error
	_, errs[0] = m.meter.Int64ObservableCounter("glyphoxa.tool.calls", metric.WithInt64Callback(m.calls.observe),
		metric.WithDescription("Tool calls that were let through, by how they ended."))
	_, errs[1] = m.meter.Int64ObservableCounter("glyphoxa.denials", metric.WithInt64Callback(m.denials.observe),
		metric.WithDescription("Tool calls that were not let through, by rule."))
	m.duration, errs[2] = m.meter.Float64Histogram("glyphoxa.tool.duration", metric.WithUnit("s"),
		metric.WithDescription("How long tool calls took, results from the cache aside."),
		metric.WithExplicitBucketBoundaries(buckets()...))
	errs[3] = m.turns.instruments(m.meter)
	errs[4] = m.spending.instruments(m.meter)
	return errors.Join(errs[:]...)
}

// process adds the metrics of the process as a whole.
func (m *Metrics) process(version string) error {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "glyphoxa_build_info", Help: "Always 1; the labels tell what is running.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	info.Set(1)
	return errors.Join(
		m.registry.Register(info),
		m.registry.Register(collectors.NewGoCollector()),
		m.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
	)
}

// Call counts a permitted call. caller is the caller's name, source the tool's origin,
// code the error code, empty or "ok" on success. Cached results count as calls but not in
// the latencies.
//
// At most 1,000 tools, 200 callers and 10,000 combinations are counted separately; the
// rest count as "other", as do the names of unknown tools.
func (m *Metrics) Call(tool, caller, source, code string, d time.Duration, cached bool) {
	if code == "" {
		code = codeOK
	}
	s := m.calls.getSeries(callKey{tool: tool, caller: caller, source: source, code: code}, m.labels.admitCall)
	s.count.Add(1)
	if !cached {
		m.duration.Record(context.Background(), d.Seconds(), s.latency...)
	}
}

// Denied counts a refused call; rule is the policy rule that refused it, empty if none
// did. Names are limited as for Call.
func (m *Metrics) Denied(tool, caller, code, rule string) {
	m.denials.getSeries(denialKey{tool: tool, caller: caller, code: code, rule: rule}, m.labels.denial).count.Add(1)
}

// Gauge adds a value that is read at each scrape, such as the depth of a queue. Its name
// must have the form glyphoxa_queue_depth and be new, otherwise the error wraps
// [ErrGauge]. f must be safe for concurrent use and quick, and may be called until
// Shutdown has returned.
func (m *Metrics) Gauge(name, description string, f func() float64) error {
	if !gaugeName(name) {
		return fmt.Errorf("%w: %q does not have the form glyphoxa_queue_depth", ErrGauge, name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gauges[name] {
		return fmt.Errorf("%w: there is a %q already", ErrGauge, name)
	}
	_, err := m.meter.Float64ObservableGauge(name, metric.WithDescription(description),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(f())
			return nil
		}))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGauge, err)
	}
	m.gauges[name] = true
	return nil
}

// gaugeName reports whether a name has the glyphoxa_ prefix and is lower snake case.
func gaugeName(s string) bool {
	const prefix = "glyphoxa_"
	if len(s) <= len(prefix) || s[:len(prefix)] != prefix || s[len(s)-1] == '_' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Handler serves the metrics to Prometheus. After Shutdown it answers 503.
func (m *Metrics) Handler() http.Handler {
	h := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTimeout,
		ErrorHandling:       promhttp.ContinueOnError,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !reading(w, r):
		case m.down.Load():
			http.Error(w, "shut down", http.StatusServiceUnavailable)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// Shutdown ends counting; calls counted later are lost.
func (m *Metrics) Shutdown(ctx context.Context) error {
	if m.down.Swap(true) {
		return nil
	}
	if err := m.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("shutting down metrics: %w", err)
	}
	return nil
}
