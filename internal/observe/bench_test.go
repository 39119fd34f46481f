package observe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkCall measures what counting adds to a call.
func BenchmarkCall(b *testing.B) {
	m := fresh(b)
	b.ReportAllocs()
	for b.Loop() {
		m.Call("roll", "claude", "builtin", "ok", time.Millisecond, false)
	}
}

func BenchmarkCallParallel(b *testing.B) {
	m := fresh(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Call("roll", "claude", "builtin", "ok", time.Millisecond, false)
		}
	})
}

// BenchmarkCallOther measures the expensive case: a tool beyond the label limit.
func BenchmarkCallOther(b *testing.B) {
	m := fresh(b)
	for n := range 1001 {
		m.Call(fmt.Sprint(n), "claude", "builtin", "ok", time.Millisecond, false)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Call("unheard_of", "claude", "builtin", "ok", time.Millisecond, false)
	}
}

func BenchmarkDenied(b *testing.B) {
	m := fresh(b)
	b.ReportAllocs()
	for b.Loop() {
		m.Denied("roll", "claude", "forbidden", "night")
	}
}

// BenchmarkScrape reads the metrics of 100 tools and 20 callers.
func BenchmarkScrape(b *testing.B) {
	m := fresh(b)
	for n := range 2000 {
		m.Call(fmt.Sprint("tool_", n%100), fmt.Sprint("caller_", n/100), "builtin", "ok", time.Duration(n)*time.Millisecond, false)
	}
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	}
}
