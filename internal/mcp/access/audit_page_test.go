package access_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestPagesAreStable pages through the log while records are added: every record that
// existed when the first page was read appears exactly once, newest first.
func TestPagesAreStable(t *testing.T) {
	l := fresh(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		session := fmt.Sprint(n)
		add := func() {
			who := rapid.SampledFrom([]string{"ada", "eve"}).Draw(rt, "who")
			l.Add(access.LogRecord{Who: who, Tool: "x", Decision: access.Allowed, Session: session}, "")
		}
		for range rapid.IntRange(0, 30).Draw(rt, "before") {
			add()
		}
		q := access.LogQuery{Session: session, Who: rapid.SampledFrom([]string{"", "ada"}).Draw(rt, "asked")}
		var want []int64
		for _, r := range all(t, l, access.LogQuery{Session: session, Who: q.Who, Limit: access.MaxLimit}) {
			want = append(want, r.ID)
		}
		var got []int64
		for first := true; first || q.Cursor != ""; first = false {
			q.Limit = rapid.IntRange(1, 7).Draw(rt, "limit")
			records, next, err := l.Query(t.Context(), q)
			must(t, "Query", err)
			for _, r := range records {
				got = append(got, r.ID)
			}
			if len(records) < q.Limit && next != "" {
				rt.Errorf("a page of %d of %d records has a next page %q", len(records), q.Limit, next)
			}
			q.Cursor = next
			for range rapid.IntRange(0, 3).Draw(rt, "between") {
				add()
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Errorf("pages show %v, want %v", got, want)
		}
	})
}

func TestNoPageAfterTheLast(t *testing.T) {
	l := fresh(t)
	for range 4 {
		l.Add(sample(), "")
	}
	rows := []struct {
		name  string
		limit int
		next  string
	}{
		{name: "fewer", limit: 3, next: "2"},
		{name: "exactly", limit: 4, next: ""},
		{name: "more", limit: 5, next: ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, next, err := l.Query(t.Context(), access.LogQuery{Limit: row.limit})
			must(t, "Query", err)
			if next != row.next {
				t.Errorf("next = %q, want %q", next, row.next)
			}
		})
	}
}

// FuzzCursor checks that a cursor is either a well-formed ID or refused.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{"1", "6", "0", "-1", "+5", "007", "9223372036854775807", "9223372036854775808", "x", " 1", "1 OR 1=1"} {
		f.Add(s)
	}
	l := fresh(f)
	for range 5 {
		l.Add(sample(), "")
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		records, _, err := l.Query(t.Context(), access.LogQuery{Cursor: cursor})
		id, parseErr := strconv.ParseInt(cursor, 10, 64)
		switch {
		case err == nil && cursor != "" && (parseErr != nil || id < 1):
			t.Errorf("cursor %q was taken", cursor)
		case err != nil && !errors.Is(err, mcp.ErrInvalidArguments):
			t.Errorf("cursor %q: %v, want ErrInvalidArguments", cursor, err)
		}
		for _, r := range records {
			if cursor != "" && r.ID >= id {
				t.Errorf("record %d is not beyond the cursor %q", r.ID, cursor)
			}
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	l := fresh(t)
	const adders, each = 6, 300
	var adding, reading sync.WaitGroup
	for n := range adders {
		adding.Go(func() {
			who := fmt.Sprint(n)
			for i := range each {
				l.Add(access.LogRecord{Who: who, Tool: fmt.Sprint(i), Decision: access.Allowed}, `{"b":1,"a":2}`)
				if i%100 != 99 {
					continue
				}
				// A caller sees the records it has added.
				records, _, err := l.Query(t.Context(), access.LogQuery{Who: who, Limit: 1})
				if err != nil || len(records) != 1 || records[0].Tool != fmt.Sprint(i) {
					t.Errorf("after record %d: %v, %v", i, records, err)
				}
			}
		})
	}
	stop := make(chan struct{})
	for range 3 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := l.Usage(t.Context(), access.UsageQuery{}); err != nil {
					t.Errorf("Usage: %v", err)
				}
			}
		})
	}
	adding.Wait()
	close(stop)
	reading.Wait()
	sum, err := l.Usage(t.Context(), access.UsageQuery{Since: time.Now().Add(-time.Hour)})
	must(t, "Usage", err)
	if sum.Counted != adders*each || l.Lost() != 0 {
		t.Errorf("%d calls counted and %d lost, want %d", sum.Counted, l.Lost(), adders*each)
	}
}
