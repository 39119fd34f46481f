package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

type outcome struct {
	Name   string
	OK     bool
	Reason string
}

type writeAnswer struct {
	status          int
	Ready, Draining bool
	Checks          []outcome
}

// probe requests readiness.
func probe(t testing.TB, h *observe.Health) writeAnswer {
	t.Helper()
	w := httptest.NewRecorder()
	h.Ready().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
	a := writeAnswer{status: w.Code}
	must(t, "decoding "+w.Body.String(), json.Unmarshal(w.Body.Bytes(), &a))
	if a.Ready != (w.Code == http.StatusOK) || !a.Ready && w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d with %s", w.Code, w.Body)
	}
	if a.Checks == nil || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("answer %s with headers %v, want a list of checks that nobody caches", w.Body, w.Header())
	}
	return a
}

func TestReady(t *testing.T) {
	good := func(context.Context) error { return nil }
	rows := []struct {
		name   string
		checks map[string]func(context.Context) error
		want   writeAnswer
		took   time.Duration
	}{
		{name: "none", want: writeAnswer{status: 200, Ready: true, Checks: []outcome{}}},
		{name: "good", checks: map[string]func(context.Context) error{"db": good},
			want: writeAnswer{status: 200, Ready: true, Checks: []outcome{{Name: "db", OK: true}}}},
		{name: "internals_stay_inside", checks: map[string]func(context.Context) error{"db": func(context.Context) error {
			return errors.New("dial 10.0.0.7:5432 with password hunter2")
		}}, want: writeAnswer{status: 503, Checks: []outcome{{Name: "db", Reason: "failing"}}}},
		{name: "reason", checks: map[string]func(context.Context) error{"db": func(context.Context) error {
			return fmt.Errorf("reading /secret/path: %w", observe.Reason("disk is \x1b[31mfull"+strings.Repeat("!", 200)))
		}}, want: writeAnswer{status: 503, Checks: []outcome{{Name: "db", Reason: "disk is full" + strings.Repeat("!", 87) + "…"}}}},
		{name: "panic", checks: map[string]func(context.Context) error{"db": func(context.Context) error { panic("secret") }},
			want: writeAnswer{status: 503, Checks: []outcome{{Name: "db", Reason: "failing"}}}},
		{name: "slow", checks: map[string]func(context.Context) error{"db": func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("asking: %w", ctx.Err())
		}}, want: writeAnswer{status: 503, Checks: []outcome{{Name: "db", Reason: "timed out"}}}, took: 2 * time.Second},
		{name: "deaf", checks: map[string]func(context.Context) error{"db": func(context.Context) error {
			time.Sleep(time.Hour)
			return nil
		}}, want: writeAnswer{status: 503, Checks: []outcome{{Name: "db", Reason: "timed out"}}}, took: 2 * time.Second},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := observe.NewHealth()
				for name, run := range row.checks {
					h.Add(name, run)
				}
				start := time.Now()
				if diff := cmp.Diff(row.want, probe(t, h), cmp.AllowUnexported(writeAnswer{})); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
				if took := time.Since(start); took != row.took {
					t.Errorf("answered after %v, want %v", took, row.took)
				}
				must(t, "Shutdown", h.Shutdown(t.Context()))
			})
		})
	}
}

func TestChecksRunSideBySideInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth()
		var want []outcome
		for n := range 20 {
			name := fmt.Sprint("check ", n)
			want = append(want, outcome{Name: name, OK: true})
			h.Add(name, func(context.Context) error {
				time.Sleep(time.Duration(20-n) * 50 * time.Millisecond)
				return nil
			})
		}
		start := time.Now()
		got := probe(t, h)
		if diff := cmp.Diff(want, got.Checks); diff != "" {
			t.Errorf("checks (-want +got):\n%s", diff)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("answered after %v, want the slowest check's 1 s", took)
		}
	})
}

func TestProbingCannotLoadTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth()
		var runs atomic.Int64
		h.Add("db", func(context.Context) error {
			runs.Add(1)
			time.Sleep(100 * time.Millisecond)
			return nil
		})
		var wg sync.WaitGroup
		for n := range 200 {
			wg.Go(func() {
				time.Sleep(time.Duration(n) * 5 * time.Millisecond)
				probe(t, h)
			})
		}
		wg.Wait()
		if got := runs.Load(); got != 1 {
			t.Errorf("200 probes within a second ran the check %d times, want 1", got)
		}
		time.Sleep(time.Second)
		probe(t, h)
		if got := runs.Load(); got != 2 {
			t.Errorf("a probe a second later: %d runs, want 2", got)
		}
	})
}

func TestDeafCheckRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth()
		var runs atomic.Int64
		h.Add("deaf", func(context.Context) error {
			runs.Add(1)
			time.Sleep(time.Minute)
			return nil
		})
		for range 5 {
			probe(t, h)
			time.Sleep(2 * time.Second)
		}
		if got := probe(t, h).Checks[0].Reason; runs.Load() != 1 || got != "an earlier check has not returned" {
			t.Errorf("%d runs, last reason %q; want 1 and that it has not returned", runs.Load(), got)
		}
		start := time.Now()
		must(t, "Shutdown", h.Shutdown(t.Context()))
		if took := time.Since(start); took == 0 {
			t.Error("Shutdown did not wait for the check")
		}
	})
}

func TestShutdownGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth()
		h.Add("deaf", func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		})
		probe(t, h)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown = %v, want DeadlineExceeded", err)
		}
		must(t, "Shutdown again", h.Shutdown(t.Context()))
	})
}

func TestLeavingProberSpoilsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth()
		h.Add("db", func(ctx context.Context) error {
			select {
			case <-time.After(500 * time.Millisecond):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		w := httptest.NewRecorder()
		h.Ready().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
		if got := probe(t, h); !got.Ready {
			t.Errorf("after a prober has left: %+v, want ready", got)
		}
	})
}

func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth()
		h.Add("db", func(context.Context) error { return nil })
		if got := probe(t, h); !got.Ready {
			t.Errorf("before: %+v, want ready", got)
		}
		h.SetDraining()
		if got := probe(t, h); got.Ready || !got.Draining || len(got.Checks) != 0 {
			t.Errorf("draining: %+v, want not ready, draining, no checks", got)
		}
		w := httptest.NewRecorder()
		h.Live().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		if w.Code != http.StatusOK || w.Body.String() != "ok\n" {
			t.Errorf("/healthz answers %d %q, want 200 ok", w.Code, w.Body)
		}
	})
}

func TestOnlyReading(t *testing.T) {
	h := observe.NewHealth()
	for name, handler := range map[string]http.Handler{"live": h.Live(), "ready": h.Ready()} {
		for method, want := range map[string]int{
			http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405, http.MethodDelete: 405,
		} {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
			if w.Code != want {
				t.Errorf("%s %s answers %d, want %d", method, name, w.Code, want)
			}
		}
	}
}

func TestChangesAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		h := observe.NewHealth()
		h.SetLogger(slog.New(slog.NewTextHandler(&out, nil)))
		var failure error
		h.Add("db", func(context.Context) error { return failure })
		for _, err := range []error{nil, errors.New("dial 10.0.0.7"), errors.New("dial 10.0.0.7"), nil, nil} {
			failure = err
			probe(t, h)
			time.Sleep(time.Second)
		}
		got := out.String()
		if strings.Count(got, "\n") != 2 || !strings.Contains(got, "dial 10.0.0.7") || !strings.Contains(got, "in order again") {
			t.Errorf("log = %q, want one line when it fails and one when it is in order again", got)
		}
	})
}
