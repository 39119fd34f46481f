package access_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// story adds six calls, one minute apart, and returns the time of the first.
func story(l *access.Log) time.Time {
	start := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	for i, r := range []access.LogRecord{
		{Who: "ada", Tool: "roll", Decision: access.Allowed, Session: "s1"},
		{Who: "ada", Tool: "move", Decision: access.Denied, Rule: "night"},
		{Who: "npc:bart", Tool: "roll", Decision: access.Allowed, Session: "s1"},
		{Who: "ada", Tool: "place", Decision: access.Pending, Approval: "a1"},
		{Who: "npc:bart", Tool: "move", Decision: access.Denied, Session: "s2"},
		{Who: "ada", Tool: "roll", Decision: access.Allowed, Session: "s2", Code: "handler_error"},
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
		q    access.LogQuery
		want []int64
	}{
		{name: "all", want: []int64{6, 5, 4, 3, 2, 1}},
		{name: "who", q: access.LogQuery{Who: "npc:bart"}, want: []int64{5, 3}},
		{name: "tool", q: access.LogQuery{Tool: "move"}, want: []int64{5, 2}},
		{name: "allowed", q: access.LogQuery{Decision: access.Allowed}, want: []int64{6, 3, 1}},
		{name: "denied", q: access.LogQuery{Decision: access.Denied}, want: []int64{5, 2}},
		{name: "pending", q: access.LogQuery{Decision: access.Pending}, want: []int64{4}},
		{name: "session", q: access.LogQuery{Session: "s2"}, want: []int64{6, 5}},
		{name: "since", q: access.LogQuery{Since: minute(3)}, want: []int64{6, 5, 4}},
		{name: "until", q: access.LogQuery{Until: minute(3)}, want: []int64{3, 2, 1}},
		{name: "period", q: access.LogQuery{Since: minute(1), Until: minute(2)}, want: []int64{2}},
		{name: "future", q: access.LogQuery{Since: minute(600)}, want: nil},
		{name: "together", q: access.LogQuery{Who: "ada", Tool: "roll", Since: minute(1), Decision: access.Allowed}, want: []int64{6}},
		{name: "limit", q: access.LogQuery{Limit: 2}, want: []int64{6, 5}},
		{name: "cursor", q: access.LogQuery{Cursor: "3"}, want: []int64{2, 1}},
		{name: "nobody", q: access.LogQuery{Who: "ad"}, want: nil},
		{name: "quotes", q: access.LogQuery{Who: `' OR 1=1 --`}, want: nil},
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
		q          access.LogQuery
	}{
		{name: "limit_negative", q: access.LogQuery{Limit: -1}, says: "1 to 500"},
		{name: "limit_large", q: access.LogQuery{Limit: 501}, says: "1 to 500"},
		{name: "decision", q: access.LogQuery{Decision: "maybe"}, says: "pending"},
		{name: "cursor_word", q: access.LogQuery{Cursor: "next"}, says: "cursor"},
		{name: "cursor_zero", q: access.LogQuery{Cursor: "0"}, says: "cursor"},
		{name: "cursor_signed", q: access.LogQuery{Cursor: "+5"}, says: "cursor"},
		{name: "cursor_huge", q: access.LogQuery{Cursor: strings.Repeat("9", 30)}, says: "cursor"},
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
	want := access.LogRecord{
		At: time.Now().UTC().Truncate(time.Microsecond), Who: "ada", Profile: "dm", Transport: "http", Tool: "roll",
		Source: "builtin", Decision: access.Allowed, Rule: "r", Code: "timeout", Approval: "a7",
		Duration: 1500 * time.Microsecond, Error: "too late", Session: "s", NPC: "bart", Cached: true,
	}
	l.Add(want, `{"expression":"2d6"}`)
	got := all(t, l, access.LogQuery{})
	want.ID, want.ArgsHash = 1, access.HashArguments(`{ "expression": "2d6" }`)
	if diff := cmp.Diff([]access.LogRecord{want}, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
