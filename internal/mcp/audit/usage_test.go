package audit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
)

func TestUsage(t *testing.T) {
	l := fresh(t)
	now := time.Now()
	for n := 1; n <= 200; n++ {
		l.Add(audit.Record{At: now, Who: "ada", Tool: "roll", Decision: audit.Allowed, Duration: time.Duration(201-n) * time.Millisecond, Cached: n%100 == 0}, "")
	}
	l.Add(audit.Record{At: now, Who: "eve", Tool: "roll", Decision: audit.Allowed, Code: "timeout", Duration: time.Second}, "")
	l.Add(audit.Record{At: now, Who: "eve", Tool: "move", Decision: audit.Denied, Code: "forbidden", Duration: time.Hour}, "")
	l.Add(audit.Record{At: now, Who: "eve", Tool: "move", Decision: audit.Pending, Code: "pending_approval"}, "")
	l.Add(audit.Record{At: now.Add(-48 * time.Hour), Who: "eve", Tool: "move", Decision: audit.Denied}, "")
	ada := audit.Usage{Who: "ada", Tool: "roll", Calls: 200, Cached: 2, P50: 100 * time.Millisecond, P99: 198 * time.Millisecond}
	roll := audit.Usage{Who: "eve", Tool: "roll", Calls: 1, Errors: 1, P50: time.Second, P99: time.Second}
	move := audit.Usage{Who: "eve", Tool: "move", Calls: 3, Denied: 2, Pending: 1}
	recent := audit.Usage{Who: "eve", Tool: "move", Calls: 2, Denied: 1, Pending: 1}
	rows := []struct {
		name    string
		q       audit.UsageQuery
		counted int
		want    []audit.Usage
	}{
		{name: "all", counted: 204, want: []audit.Usage{ada, move, roll}},
		{name: "who", q: audit.UsageQuery{Who: "eve"}, counted: 4, want: []audit.Usage{move, roll}},
		{name: "tool", q: audit.UsageQuery{Tool: "roll"}, counted: 201, want: []audit.Usage{ada, roll}},
		{name: "since", q: audit.UsageQuery{Tool: "move", Since: now.Add(-time.Hour)}, counted: 2, want: []audit.Usage{recent}},
		{name: "until", q: audit.UsageQuery{Until: now.Add(-72 * time.Hour)}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := l.Usage(t.Context(), row.q)
			must(t, "Usage", err)
			if diff := cmp.Diff(audit.Summary{Usages: row.want, Counted: row.counted}, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsageIsBounded(t *testing.T) {
	l := fresh(t)
	for n := range 300 {
		l.Add(audit.Record{Who: "eve", Tool: fmt.Sprintf("made_up_%d", n), Decision: audit.Allowed}, "")
	}
	got, err := l.Usage(t.Context(), audit.UsageQuery{})
	must(t, "Usage", err)
	if len(got.Usages) != 200 || got.Counted != 300 || !got.Truncated {
		t.Errorf("%d lines over %d calls, truncated %v; want 200 over 300, truncated", len(got.Usages), got.Counted, got.Truncated)
	}
}
