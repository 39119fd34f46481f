package access

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// maxCounted bounds how many records a summary reads.
	maxCounted = 200_000
	// maxUsages bounds the lines of a summary.
	maxUsages = 200
)

// UsageQuery selects the calls for a summary. Empty fields select all.
type UsageQuery struct {
	Who, Tool    string
	Since, Until time.Time
}

// Usage sums up the calls of one tool by one caller.
type Usage struct {
	Who   string
	Tool  string
	Calls int
	// Denied and Pending count calls that were not admitted.
	Denied, Pending int
	// Errors counts admitted calls that failed.
	Errors int
	Cached int
	// P50 and P99 are percentiles of all admitted calls, including failed ones; 0 if there are none.
	P50, P99 time.Duration
}

// LogSummary is the usage in a period.
type LogSummary struct {
	// Usages has at most 200 entries, ordered by number of calls, most first.
	Usages []Usage
	// Counted is the number of records read. Truncated says that there were more than 200,000 records, so
	// that only the newest count, or more than 200 entries.
	Counted   int
	Truncated bool
}

type tally struct {
	Usage
	took []int64 // microseconds
}

// Usage sums up calls by caller and tool.
func (l *Log) Usage(ctx context.Context, q UsageQuery) (LogSummary, error) {
	if err := l.awaitWritten(ctx); err != nil {
		return LogSummary{}, err
	}
	c := &conditions{}
	c.equal("who", q.Who)
	c.equal("tool", q.Tool)
	c.within(q.Since, q.Until, time.Now().Add(-l.keepFor))
	type key struct{ who, tool string }
	tallies := make(map[key]*tally)
	var sum LogSummary
	query := "SELECT who, tool, decision, code, duration, cached, max(times, 1) FROM calls" + c.String() + " ORDER BY id DESC LIMIT ?"
	err := l.db.readRows(ctx, query, append(c.args, maxCounted+1), func(rows *sql.Rows) error {
		var k key
		var decision, code string
		var took, times int64
		var cached bool
		if err := rows.Scan(&k.who, &k.tool, &decision, &code, &took, &cached, &times); err != nil {
			return err
		}
		if sum.Counted == maxCounted {
			sum.Truncated = true
			return nil
		}
		sum.Counted++
		if of := (LogRecord{Decision: decision}); !of.isCall() {
			return nil
		}
		t := tallies[k]
		if t == nil {
			t = &tally{Usage: Usage{Who: k.who, Tool: k.tool}}
			tallies[k] = t
		}
		t.countCall(decision, code, took, cached, int(times))
		return nil
	})
	if err != nil {
		return LogSummary{}, fmt.Errorf("summing up audit log: %w", err)
	}
	for _, t := range tallies {
		t.P50, t.P99 = percentiles(t.took)
		sum.Usages = append(sum.Usages, t.Usage)
	}
	slices.SortFunc(sum.Usages, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Who, b.Who), cmp.Compare(a.Tool, b.Tool))
	})
	if len(sum.Usages) > maxUsages {
		sum.Usages, sum.Truncated = sum.Usages[:maxUsages], true
	}
	return sum, nil
}

func (t *tally) countCall(decision, code string, took int64, cached bool, times int) {
	t.Calls += times
	switch decision {
	case Denied:
		t.Denied += times
		return
	case Pending:
		t.Pending += times
		return
	}
	if code != "" {
		t.Errors++
	}
	if cached {
		t.Cached++
	}
	t.took = append(t.took, took)
}

// percentiles returns the nearest-rank median and 99th percentile.
func percentiles(took []int64) (p50, p99 time.Duration) {
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	at := func(p float64) time.Duration {
		rank := int(math.Ceil(p * float64(len(took))))
		return time.Duration(took[max(rank, 1)-1]) * time.Microsecond
	}
	return at(0.5), at(0.99)
}
