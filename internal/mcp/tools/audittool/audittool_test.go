package audittool_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/audittool"
)

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// open opens a log with a few calls in it.
func open(t testing.TB) *audit.Log {
	t.Helper()
	l, err := audit.Open(t.Context(), filepath.Join(t.TempDir(), "audit.db"), audit.Options{Arguments: true})
	must(t, "Open", err)
	t.Cleanup(func() { must(t, "Close", l.Close()) })
	hour := func(n int) time.Time { return time.Now().Add(time.Duration(-n) * time.Hour) }
	l.Add(audit.Record{At: hour(50), Who: "ada", Tool: "roll", Source: "builtin", Decision: audit.Allowed, Duration: time.Millisecond}, `{"expression":"2d6"}`)
	l.Add(audit.Record{At: hour(3), Who: "ada", Tool: "move", Decision: audit.Denied, Code: "forbidden", Rule: "night", Error: "not at night"}, `{}`)
	l.Add(audit.Record{At: hour(2), Who: "ada", Tool: "roll", Decision: audit.Allowed, Duration: 2 * time.Millisecond, Session: "s1"}, `{}`)
	l.Add(audit.Record{At: hour(1), Who: "ada", Tool: "roll", Decision: audit.Allowed, Code: "timeout", Duration: time.Second}, `{}`)
	l.Add(audit.Record{Who: "npc:bart", Tool: "roll", Decision: audit.Allowed, Duration: time.Microsecond, Cached: true, NPC: "bart"}, `{}`)
	l.Add(audit.Record{Who: "eve", Tool: "move", Decision: audit.Pending, Approval: "a1"}, `{}`)
	return l
}

func tool(t testing.TB, l *audit.Log, name string) tools.Tool {
	t.Helper()
	for _, x := range audittool.Tools(l) {
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
	must(t, "encoding schema", err)
	var s jsonschema.Schema
	must(t, "decoding schema", json.Unmarshal(raw, &s))
	resolved, err := s.Resolve(nil)
	must(t, "resolving schema", err)
	var v any
	must(t, "decoding value", json.Unmarshal([]byte(text), &v))
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s does not fit its schema: %v", text, err)
	}
}

func call[R any](t testing.TB, ctx context.Context, x tools.Tool, args string) R {
	t.Helper()
	out, err := x.Handler(ctx, args)
	must(t, x.Definition.Name+" "+args, err)
	check(t, x.OutputSchema, out)
	var r R
	must(t, "decoding result", json.Unmarshal([]byte(out), &r))
	return r
}

func TestDefinitions(t *testing.T) {
	for _, x := range audittool.Tools(open(t)) {
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
	Records []audit.Record
	Next    string
	Lost    *int
}

func TestQuery(t *testing.T) {
	x := tool(t, open(t), "audit_query")
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
			got := call[page](t, t.Context(), x, row.args)
			ids := []int64{}
			for _, r := range got.Records {
				ids = append(ids, r.ID)
			}
			if len(ids) != len(row.want) || got.Count != len(ids) {
				t.Fatalf("%d records %v, want %v", got.Count, ids, row.want)
			}
			for i := range ids {
				if ids[i] != row.want[i] {
					t.Errorf("ids = %v, want %v", ids, row.want)
				}
			}
		})
	}
}
