package access_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func TestUsage(t *testing.T) {
	l := fresh(t)
	now := time.Now()
	for n := 1; n <= 200; n++ {
		l.Add(access.LogRecord{At: now, Who: "ada", Tool: "roll", Decision: access.Allowed, Duration: time.Duration(201-n) * time.Millisecond, Cached: n%100 == 0}, "")
	}
	l.Add(access.LogRecord{At: now, Who: "eve", Tool: "roll", Decision: access.Allowed, Code: "timeout", Duration: time.Second}, "")
	l.Add(access.LogRecord{At: now, Who: "eve", Tool: "move", Decision: access.Denied, Code: "forbidden", Duration: time.Hour}, "")
	l.Add(access.LogRecord{At: now, Who: "eve", Tool: "move", Decision: access.Pending, Code: "pending_approval"}, "")
	l.Add(access.LogRecord{At: now.Add(-48 * time.Hour), Who: "eve", Tool: "move", Decision: access.Denied}, "")
	ada := access.Usage{Who: "ada", Tool: "roll", Calls: 200, Cached: 2, P50: 100 * time.Millisecond, P99: 198 * time.Millisecond}
	roll := access.Usage{Who: "eve", Tool: "roll", Calls: 1, Errors: 1, P50: time.Second, P99: time.Second}
	move := access.Usage{Who: "eve", Tool: "move", Calls: 3, Denied: 2, Pending: 1}
	recent := access.Usage{Who: "eve", Tool: "move", Calls: 2, Denied: 1, Pending: 1}
	rows := []struct {
		name    string
		q       access.UsageQuery
		counted int
		want    []access.Usage
	}{
		{name: "all", counted: 204, want: []access.Usage{ada, move, roll}},
		{name: "who", q: access.UsageQuery{Who: "eve"}, counted: 4, want: []access.Usage{move, roll}},
		{name: "tool", q: access.UsageQuery{Tool: "roll"}, counted: 201, want: []access.Usage{ada, roll}},
		{name: "since", q: access.UsageQuery{Tool: "move", Since: now.Add(-time.Hour)}, counted: 2, want: []access.Usage{recent}},
		{name: "until", q: access.UsageQuery{Until: now.Add(-72 * time.Hour)}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := l.Usage(t.Context(), row.q)
			must(t, "Usage", err)
			if diff := cmp.Diff(access.LogSummary{Usages: row.want, Counted: row.counted}, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsageIsBounded(t *testing.T) {
	l := fresh(t)
	for n := range 300 {
		l.Add(access.LogRecord{Who: "eve", Tool: fmt.Sprintf("made_up_%d", n), Decision: access.Allowed}, "")
	}
	got, err := l.Usage(t.Context(), access.UsageQuery{})
	must(t, "Usage", err)
	if len(got.Usages) != 200 || got.Counted != 300 || !got.Truncated {
		t.Errorf("%d lines over %d calls, truncated %v; want 200 over 300, truncated", len(got.Usages), got.Counted, got.Truncated)
	}
}
