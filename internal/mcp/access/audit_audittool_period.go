package access

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// maxDays bounds periods. No record is kept that long.
	maxDays = 10_000
	// firstYear and lastYear bound the years in queries, because times near the years 0 and 9999 cannot be
	// written in every zone.
	firstYear, lastYear = 1970, 9000
)

// moment parses a point in time: RFC 3339, or an age such as "2h", "90m" or "7d". A blank text yields the
// zero time.
func moment(name, s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, s); err == nil && firstYear <= at.Year() && at.Year() <= lastYear {
		return at, nil
	}
	if d, ok := ago(s); ok && d >= 0 && d <= maxDays*24*time.Hour {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%w: %s is no time; use RFC 3339, such as 2027-01-31T20:00:00Z, or how long ago, such as 2h or 7d", mcp.ErrInvalidArguments, name)
}

// ago parses a duration. Whole days may be written as "7d".
func ago(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err == nil
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// period parses both ends of a period. An empty period is an error.
func period(since, until string, now time.Time) (from, to time.Time, err error) {
	if from, err = moment("since", since, now); err != nil {
		return from, to, err
	}
	if to, err = moment("until", until, now); err != nil {
		return from, to, err
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, fmt.Errorf("%w: since is not before until", mcp.ErrInvalidArguments)
	}
	return from, to, nil
}
