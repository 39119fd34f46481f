package mcp

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Millis returns a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// RoundedMillis returns a duration in milliseconds, rounded to the microsecond.
func RoundedMillis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}

// DurationOf returns the duration of ms milliseconds.
func DurationOf(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// MillisText formats milliseconds with a sensible number of digits: two significant digits below ten
// milliseconds, whole milliseconds below ten seconds, then tenths of seconds. It never uses an exponent.
func MillisText(ms float64) string {
	switch {
	case ms <= 0:
		return "0 ms"
	case ms < 9.95:
		digits := 1 - int(math.Floor(math.Log10(ms)))
		return trimmed(ms, digits) + " ms"
	case ms < 9_999.5:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return trimmed(ms/1000, 1) + " s"
}

// trimmed formats v with at most digits digits after the point.
func trimmed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
