package play

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// heardEvents records events.
type heardEvents []table.Event

func (h *heardEvents) Emit(e table.Event) { *h = append(*h, e) }

func newMetrics(t *testing.T) *observe.Metrics {
	t.Helper()
	m, err := observe.New(observe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return m
}

// samples returns the values that Prometheus would read, by name and labels.
func samples(t *testing.T, m *observe.Metrics) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	values := map[string]string{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok {
			values[name] = value
		}
	}
	return values
}

func TestMeterCountsWhatItPassesOn(t *testing.T) {
	m := newMetrics(t)
	var heard heardEvents
	sink := countEvents(&heard, m)
	spoken := table.Ledger{
		EndpointMS: 400, STTFinalMS: 100, ContextMS: 2, LLMFirstTokenMS: 300, LLMFirstSentenceMS: 80, ToolMS: 50, ToolRounds: 1,
		TTSFirstAudioMS: 150, FirstSoundMS: 1100, TotalMS: 4000,
	}
	events := []table.Event{
		&table.Heard{}, &table.TurnStarted{}, &table.Policy{Step: "lower_tier"}, &table.Policy{Step: "filler"}, &table.Policy{Step: "filler"},
		&table.Guarded{Reason: "secret"}, &table.Sentence{}, &table.Barge{}, &table.TurnEnded{Outcome: table.OutcomeBarged, Ledger: spoken},
		&table.Heard{}, &table.TurnEnded{Outcome: table.OutcomeDelivered, Ledger: table.Ledger{ContextMS: 3, FirstSoundMS: 900}},
		&table.Heard{}, &table.TurnEnded{Outcome: table.OutcomeNoTarget}, &table.Notice{Level: "info"},
	}
	for _, e := range events {
		sink.Emit(e)
	}
	if !slices.Equal(heard, events) {
		t.Errorf("passed on %v, want all of %v in order", heard, events)
	}
	got := samples(t, m)
	for name, want := range map[string]string{
		`glyphoxa_turns_total{outcome="barged"}`:               "1",
		`glyphoxa_turns_total{outcome="delivered"}`:            "1",
		`glyphoxa_turns_total{outcome="no_target"}`:            "1",
		`glyphoxa_barge_ins_total`:                             "1",
		`glyphoxa_guarded_total{reason="secret"}`:              "1",
		`glyphoxa_latency_policy_total{step="lower_tier"}`:     "1",
		`glyphoxa_latency_policy_total{step="filler"}`:         "2",
		`glyphoxa_stage_seconds_sum{stage="endpoint"}`:         "0.4",
		`glyphoxa_stage_seconds_sum{stage="stt"}`:              "0.1",
		`glyphoxa_stage_seconds_sum{stage="context"}`:          "0.005",
		`glyphoxa_stage_seconds_sum{stage="llm"}`:              "0.3",
		`glyphoxa_stage_seconds_sum{stage="tool"}`:             "0.05",
		`glyphoxa_stage_seconds_sum{stage="writing"}`:          "0.08",
		`glyphoxa_stage_seconds_sum{stage="tts"}`:              "0.15",
		`glyphoxa_stage_seconds_sum{stage="first_sound"}`:      "2",
		`glyphoxa_stage_seconds_count{stage="context"}`:        "2",
		`glyphoxa_stage_seconds_count{stage="first_sound"}`:    "2",
		`glyphoxa_stage_seconds_count{stage="llm"}`:            "1", // a stage that did not run has no sample
		`glyphoxa_stage_seconds_bucket{stage="tts",le="0.2"}`:  "1",
		`glyphoxa_stage_seconds_bucket{stage="tts",le="0.1"}`:  "0",
		`glyphoxa_stage_seconds_bucket{stage="tts",le="+Inf"}`: "1",
	} {
		if got[name] != want {
			t.Errorf("%s = %q, want %q", name, got[name], want)
		}
	}
}

func TestNothingIsCountedWithoutMetrics(t *testing.T) {
	var heard heardEvents
	if sink := countEvents(&heard, nil); sink != table.Sink(&heard) {
		t.Errorf("sink = %T, want the one it was", sink)
	}
}

// TestMetersOfManyTables: tables share the metrics of their process.
func TestMetersOfManyTables(t *testing.T) {
	m := newMetrics(t)
	var tables sync.WaitGroup
	for range 8 {
		tables.Go(func() {
			sink := countEvents(&heardEvents{}, m)
			for range 100 {
				sink.Emit(&table.TurnEnded{Outcome: table.OutcomeDelivered, Ledger: table.Ledger{FirstSoundMS: 1}})
			}
		})
	}
	tables.Wait()
	if got := samples(t, m)[`glyphoxa_turns_total{outcome="delivered"}`]; got != "800" {
		t.Errorf("%s turns, want 800", got)
	}
}
