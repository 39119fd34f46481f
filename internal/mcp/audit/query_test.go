package audit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
)

// story adds six calls and returns the time of the first; each is a minute
// after the one before.
func story(l *audit.Log) time.Time {
	start := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	for i, r := range []audit.Record{
		{Who: "ada", Tool: "roll", Decision: audit.Allowed, Session: "s1"},
		{Who: "ada", Tool: "move", Decision: audit.Denied, Rule: "night"},
		{Who: "npc:bart", Tool: "roll", Decision: audit.Allowed, Session: "s1"},
		{Who: "ada", Tool: "place", Decision: audit.Pending, Approval: "a1"},
		{Who: "npc:bart", Tool: "move", Decision: audit.Denied, Session: "s2"},
		{Who: "ada", Tool: "roll", Decision: audit.Allowed, Session: "s2", Code: "handler_error"},
	} {
		r.At = start.Add(time.Duration(i) * time.Minute)
		l.Add(r, fmt.Sprintf(`{"n":%d}`, i))
	}
	return start
}

func TestQuerySelects(t *testing.T) {
	l := fresh(t)
	start := story(l)
	minute := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	rows := []struct {
		name string
		q    audit.Query
		want []int64
	}{
		{name: "all", want: []int64{6, 5, 4, 3, 2, 1}},
		{name: "who", q: audit.Query{Who: "npc:bart"}, want: []int64{5, 3}},
		{name: "tool", q: audit.Query{Tool: "move"}, want: []int64{5, 2}},
		{name: "allowed", q: audit.Query{Decision: audit.Allowed}, want: []int64{6, 3, 1}},
		{name: "denied", q: audit.Query{Decision: audit.Denied}, want: []int64{5, 2}},
		{name: "pending", q: audit.Query{Decision: audit.Pending}, want: []int64{4}},
		{name: "session", q: audit.Query{Session: "s2"}, want: []int64{6, 5}},
		{name: "since", q: audit.Query{Since: minute(3)}, want: []int64{6, 5, 4}},
		{name: "until", q: audit.Query{Until: minute(3)}, want: []int64{3, 2, 1}},
		{name: "period", q: audit.Query{Since: minute(1), Until: minute(2)}, want: []int64{2}},
		{name: "future", q: audit.Query{Since: minute(600)}, want: nil},
		{name: "together", q: audit.Query{Who: "ada", Tool: "roll", Since: minute(1), Decision: audit.Allowed}, want: []int64{6}},
		{name: "limit", q: audit.Query{Limit: 2}, want: []int64{6, 5}},
		{name: "cursor", q: audit.Query{Cursor: "3"}, want: []int64{2, 1}},
		{name: "nobody", q: audit.Query{Who: "ad"}, want: nil},
		{name: "quotes", q: audit.Query{Who: `' OR 1=1 --`}, want: nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got []int64
			for _, r := range all(t, l, row.q) {
				got = append(got, r.ID)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueryRefuses(t *testing.T) {
	l := fresh(t)
	rows := []struct {
		name, says string
		q          audit.Query
	}{
		{name: "limit_negative", q: audit.Query{Limit: -1}, says: "1 to 500"},
		{name: "limit_large", q: audit.Query{Limit: 501}, says: "1 to 500"},
		{name: "decision", q: audit.Query{Decision: "maybe"}, says: "pending"},
		{name: "cursor_word", q: audit.Query{Cursor: "next"}, says: "cursor"},
		{name: "cursor_zero", q: audit.Query{Cursor: "0"}, says: "cursor"},
		{name: "cursor_signed", q: audit.Query{Cursor: "+5"}, says: "cursor"},
		{name: "cursor_huge", q: audit.Query{Cursor: strings.Repeat("9", 30)}, says: "cursor"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := l.Query(t.Context(), row.q)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("err = %v, want ErrInvalidArguments that says %q", err, row.says)
			}
		})
	}
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	l := fresh(t)
	want := audit.Record{
		At: time.Now().UTC().Truncate(time.Microsecond), Who: "ada", Profile: "dm", Transport: "http", Tool: "roll",
		Source: "builtin", Decision: audit.Allowed, Rule: "r", Code: "timeout", Approval: "a7",
		Duration: 1500 * time.Microsecond, Error: "too late", Session: "s", NPC: "bart", Cached: true,
	}
	l.Add(want, `{"expression":"2d6"}`)
	got := all(t, l, audit.Query{})
	want.ID, want.ArgsHash = 1, audit.Hash(`{ "expression": "2d6" }`)
	if diff := cmp.Diff([]audit.Record{want}, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
