package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

func audittoolMust(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// audittoolOpen opens a log with a few calls.
func audittoolOpen(t testing.TB) *access.Log {
	t.Helper()
	l, err := access.OpenLog(t.Context(), filepath.Join(t.TempDir(), "audit.db"), access.LogOptions{Arguments: true})
	audittoolMust(t, "Open", err)
	t.Cleanup(func() { audittoolMust(t, "Close", l.Close()) })
	hour := func(n int) time.Time { return time.Now().Add(time.Duration(-n) * time.Hour) }
	l.Add(access.LogRecord{At: hour(50), Who: "ada", Tool: "roll", Source: "builtin", Decision: access.Allowed, Duration: time.Millisecond}, `{"expression":"2d6"}`)
	l.Add(access.LogRecord{At: hour(3), Who: "ada", Tool: "move", Decision: access.Denied, Code: "forbidden", Rule: "night", Error: "not at night"}, `{}`)
	l.Add(access.LogRecord{At: hour(2), Who: "ada", Tool: "roll", Decision: access.Allowed, Duration: 2 * time.Millisecond, Session: "s1"}, `{}`)
	l.Add(access.LogRecord{At: hour(1), Who: "ada", Tool: "roll", Decision: access.Allowed, Code: "timeout", Duration: time.Second}, `{}`)
	l.Add(access.LogRecord{Who: "npc:bart", Tool: "roll", Decision: access.Allowed, Duration: time.Microsecond, Cached: true, NPC: "bart"}, `{}`)
	l.Add(access.LogRecord{Who: "eve", Tool: "move", Decision: access.Pending, Approval: "a1"}, `{}`)
	return l
}

func auditTool(t testing.TB, l *access.Log, name string) tools.Tool {
	t.Helper()
	for _, x := range access.LogTools(l) {
		if x.Definition.Name == name {
			return x
		}
	}
	t.Fatalf("no tool %q", name)
	return tools.Tool{}
}

// check validates JSON text against a schema.
func check(t testing.TB, schema map[string]any, text string) {
	t.Helper()
	raw, err := json.Marshal(schema)
	audittoolMust(t, "encoding schema", err)
	var s jsonschema.Schema
	audittoolMust(t, "decoding schema", json.Unmarshal(raw, &s))
	resolved, err := s.Resolve(nil)
	audittoolMust(t, "resolving schema", err)
	var v any
	audittoolMust(t, "decoding value", json.Unmarshal([]byte(text), &v))
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s does not fit its schema: %v", text, err)
	}
}

func auditCall[R any](t testing.TB, ctx context.Context, x tools.Tool, args string) R {
	t.Helper()
	out, err := x.Handler(ctx, args)
	audittoolMust(t, x.Definition.Name+" "+args, err)
	check(t, x.OutputSchema, out)
	var r R
	audittoolMust(t, "decoding result", json.Unmarshal([]byte(out), &r))
	return r
}

func TestDefinitions(t *testing.T) {
	for _, x := range access.LogTools(audittoolOpen(t)) {
		d := x.Definition
		if x.Permission != "audit.read" || !x.ReadOnly || !d.Idempotent || x.Floor != mcp.BudgetDeep || x.Title == "" || d.Description == "" {
			t.Errorf("%s = %+v, want it titled, read-only, idempotent, deep, for audit.read", d.Name, x)
		}
		check(t, d.Parameters, x.Probe)
		if _, err := x.Handler(t.Context(), x.Probe); err != nil {
			t.Errorf("%s %s: %v", d.Name, x.Probe, err)
		}
	}
}

type page struct {
	Count   int
	Records []access.LogRecord
	Next    string
	Lost    *int
}

func TestQuery(t *testing.T) {
	x := auditTool(t, audittoolOpen(t), "audit_query")
	rows := []struct {
		name, args string
		want       []int64
	}{
		{name: "all", args: ``, want: []int64{6, 5, 4, 3, 2, 1}},
		{name: "who", args: `{"who":"npc:bart"}`, want: []int64{5}},
		{name: "tool", args: `{"tool":"move"}`, want: []int64{6, 2}},
		{name: "denied", args: `{"decision":"denied"}`, want: []int64{2}},
		{name: "pending", args: `{"decision":"pending"}`, want: []int64{6}},
		{name: "session", args: `{"session":"s1"}`, want: []int64{3}},
		{name: "hours", args: `{"since":"150m","until":"30m"}`, want: []int64{4, 3}},
		{name: "days", args: `{"until":"1d"}`, want: []int64{1}},
		{name: "moment", args: `{"since":"2020-01-31T20:00:00Z","until":"2021-01-31T20:00:00+02:00"}`, want: []int64{}},
		{name: "limit", args: `{"limit":2.0}`, want: []int64{6, 5}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := auditCall[page](t, t.Context(), x, row.args)
			ids := []int64{}
			for _, r := range got.Records {
				ids = append(ids, r.ID)
			}
			if diff := cmp.Diff(row.want, ids); diff != "" || got.Count != len(ids) {
				t.Errorf("count %d, ids (-want +got):\n%s", got.Count, diff)
			}
		})
	}
}

func TestPages(t *testing.T) {
	x := auditTool(t, audittoolOpen(t), "audit_query")
	var ids []int64
	args := `{"limit":4}`
	for range 3 {
		got := auditCall[page](t, t.Context(), x, args)
		for _, r := range got.Records {
			ids = append(ids, r.ID)
		}
		if got.Next == "" {
			break
		}
		args = fmt.Sprintf(`{"limit":4,"cursor":%q}`, got.Next)
	}
	if diff := cmp.Diff([]int64{6, 5, 4, 3, 2, 1}, ids); diff != "" {
		t.Errorf("ids over all pages (-want +got):\n%s", diff)
	}
}

func TestRecordsTellAll(t *testing.T) {
	got := auditCall[page](t, t.Context(), auditTool(t, audittoolOpen(t), "audit_query"), `{"decision":"denied"}`)
	r := got.Records[0]
	want := access.LogRecord{
		ID: 2, At: r.At, Who: "ada", Tool: "move", Decision: access.Denied, Code: "forbidden", Rule: "night",
		Error: "not at night", Args: "{}", ArgsHash: access.HashArguments("{}"),
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if got.Lost == nil || *got.Lost != 0 {
		t.Errorf("lost = %v, want 0", got.Lost)
	}
}

type summary struct {
	Since, Until time.Time
	Calls        int
	Usage        []map[string]any
}

func TestAudittoolUsage(t *testing.T) {
	x := auditTool(t, audittoolOpen(t), "audit_usage")
	rows := []struct {
		name, args string
		calls      int
		period     time.Duration
		want       []string
	}{
		{name: "last_day", args: ``, calls: 5, period: 24 * time.Hour, want: []string{
			"ada roll calls=2 denied=0 pending=0 errors=1 cached=0 p50=2 p99=1000",
			"ada move calls=1 denied=1 pending=0 errors=0 cached=0 p50=0 p99=0",
			"eve move calls=1 denied=0 pending=1 errors=0 cached=0 p50=0 p99=0",
			"npc:bart roll calls=1 denied=0 pending=0 errors=0 cached=1 p50=0.001 p99=0.001",
		}},
		{name: "week", args: `{"since":"7d","who":"ada","tool":"roll"}`, calls: 3, period: 7 * 24 * time.Hour, want: []string{
			"ada roll calls=3 denied=0 pending=0 errors=1 cached=0 p50=2 p99=1000",
		}},
		{name: "day_before", args: `{"until":"2d"}`, calls: 1, period: 24 * time.Hour, want: []string{
			"ada roll calls=1 denied=0 pending=0 errors=0 cached=0 p50=1 p99=1",
		}},
		{name: "nobody", args: `{"who":"x"}`, period: 24 * time.Hour},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := auditCall[summary](t, t.Context(), x, row.args)
			var lines []string
			for _, u := range got.Usage {
				lines = append(lines, fmt.Sprintf("%v %v calls=%v denied=%v pending=%v errors=%v cached=%v p50=%v p99=%v",
					u["who"], u["tool"], u["calls"], u["denied"], u["pending"], u["errors"], u["cached"], u["p50_ms"], u["p99_ms"]))
			}
			if diff := cmp.Diff(row.want, lines); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if got.Calls != row.calls || got.Until.Sub(got.Since) != row.period {
				t.Errorf("%d calls over %v, want %d over %v", got.Calls, got.Until.Sub(got.Since), row.calls, row.period)
			}
		})
	}
}

var badArgs = []struct{ name, tool, args, says string }{
	{name: "no_json", tool: "audit_query", args: `{"who":`},
	{name: "wrong_type", tool: "audit_usage", args: `{"who":5}`},
	{name: "since", tool: "audit_query", args: `{"since":"yesterday"}`, says: "since is no time"},
	{name: "until", tool: "audit_usage", args: `{"until":"5 parsecs"}`, says: "until is no time"},
	{name: "year_zero", tool: "audit_usage", args: `{"until":"0000-01-01T00:00:00+05:00"}`, says: "until is no time"},
	{name: "days_broken", tool: "audit_query", args: `{"since":"1.5d"}`, says: "7d"},
	{name: "days_many", tool: "audit_query", args: `{"since":"99999d"}`, says: "7d"},
	{name: "ahead", tool: "audit_query", args: `{"since":"-2h"}`, says: "how long ago"},
	{name: "backwards", tool: "audit_usage", args: `{"since":"1h","until":"2h"}`, says: "since is not before until"},
	{name: "limit_zero", tool: "audit_query", args: `{"limit":0}`, says: "1 to 500"},
	{name: "limit_broken", tool: "audit_query", args: `{"limit":1.5}`, says: "1 to 500"},
	{name: "limit_huge", tool: "audit_query", args: `{"limit":1e300}`, says: "1 to 500"},
	{name: "decision", tool: "audit_query", args: `{"decision":"maybe"}`, says: "pending"},
	{name: "cursor", tool: "audit_query", args: `{"cursor":"' OR 1=1"}`, says: "cursor"},
}

func TestRejectedArguments(t *testing.T) {
	l := audittoolOpen(t)
	for _, row := range badArgs {
		t.Run(row.name, func(t *testing.T) {
			_, err := auditTool(t, l, row.tool).Handler(t.Context(), row.args)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("err = %v, want ErrInvalidArguments that says %q", err, row.says)
			}
		})
	}
}

func TestCancellationAndClose(t *testing.T) {
	l, err := access.OpenLog(t.Context(), filepath.Join(t.TempDir(), "audit.db"), access.LogOptions{})
	audittoolMust(t, "Open", err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range access.LogTools(l) {
		if _, err := x.Handler(gone, `{}`); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cancelled: %v, want context.Canceled", x.Definition.Name, err)
		}
	}
	audittoolMust(t, "Close", l.Close())
	for _, x := range access.LogTools(l) {
		if _, err := x.Handler(t.Context(), `{}`); !errors.Is(err, access.ErrClosed) || errors.Is(err, mcp.ErrInvalidArguments) {
			t.Errorf("%s on a closed log: %v, want ErrClosed", x.Definition.Name, err)
		}
	}
}

// FuzzHandlers checks that any arguments yield a result that fits its schema, or an
// error.
func FuzzHandlers(f *testing.F) {
	for _, row := range badArgs {
		f.Add(row.args)
	}
	for _, s := range []string{`{}`, `null`, `[]`, `{"since":"2h","until":"1h30m"}`, `{"since":"7d"}`, `{"since":"2027-01-31T20:00:00Z"}`, `{"who":"ada","limit":5.0,"cursor":"3"}`} {
		f.Add(s)
	}
	all := access.LogTools(audittoolOpen(f))
	f.Fuzz(func(t *testing.T, args string) {
		for _, x := range all {
			out, err := x.Handler(t.Context(), args)
			if err == nil {
				check(t, x.OutputSchema, out)
			} else if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("%s %q: %v, want a result or ErrInvalidArguments", x.Definition.Name, args, err)
			}
		}
	})
}
