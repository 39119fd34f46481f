package mcphost

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

type call struct {
	us int
	ok bool
}

// naive is what a window must say of its last calls.
func naive(calls []call) Measure {
	calls = calls[max(0, len(calls)-windowSize):]
	var good []int
	for _, c := range calls {
		if c.ok {
			good = append(good, c.us)
		}
	}
	slices.Sort(good)
	m := Measure{Samples: len(calls), Successes: len(good)}
	if len(calls) > 0 {
		m.ErrorRate = float64(len(calls)-len(good)) / float64(len(calls))
	}
	if n := len(good); n > 0 {
		m.P50 = time.Duration(good[(n+1)/2-1]) * time.Microsecond
		m.P99 = time.Duration(good[(99*n+99)/100-1]) * time.Microsecond
	}
	return m
}

func TestWindowAgreesWithSortingEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		var calls []call
		t.Repeat(map[string]func(*rapid.T){
			"record": func(t *rapid.T) {
				c := call{rapid.IntRange(0, 50).Draw(t, "us"), rapid.Bool().Draw(t, "ok")}
				for range rapid.IntRange(1, 40).Draw(t, "times") {
					calls = append(calls, c)
					w.record(time.Duration(c.us)*time.Microsecond, c.ok)
				}
			},
			"dropFailures": func(t *rapid.T) {
				w.dropFailures()
				calls = slices.DeleteFunc(slices.Clone(calls[max(0, len(calls)-windowSize):]), func(c call) bool { return !c.ok })
			},
			"": func(t *rapid.T) {
				if got, want := w.measure(), naive(calls); got != want {
					t.Fatalf("measure = %+v, want %+v", got, want)
				}
			},
		})
	})
}

func TestWindowForgetsAnErrorWithItsSlot(t *testing.T) {
	var w window
	for range 31 {
		w.record(0, false)
	}
	for range windowSize - 1 {
		w.record(time.Millisecond, true)
	}
	if got := w.measure().ErrorRate; got != 0.01 {
		t.Errorf("error rate after 99 successes = %v, want 0.01", got)
	}
	w.record(time.Millisecond, true)
	if got := w.measure().ErrorRate; got != 0 {
		t.Errorf("error rate after 100 successes = %v, want 0", got)
	}
}

func TestWindowTakesExtremeDurations(t *testing.T) {
	var w window
	w.record(-time.Second, true)
	w.record(1<<62, true)
	if m := w.measure(); m.P50 != 0 || m.P99 < 30*time.Minute {
		t.Errorf("P50, P99 = %v, %v, want 0 and the longest a slot holds", m.P50, m.P99)
	}
}

func BenchmarkWindow(b *testing.B) {
	var w window
	d := time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		d = (d*31 + 7*time.Microsecond) % time.Second
		if m := w.record(d, d%7 != 0); m.Samples == 0 {
			b.Fatal("nothing recorded")
		}
	}
}
