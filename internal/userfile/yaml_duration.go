package userfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that reads "500ms" or "5m"; 0 alone needs no unit.
type Duration time.Duration

// String returns the duration as "500ms" or "5m0s".
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText renders what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalYAML renders what [ReadYAML] reads.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalText reads "500ms" or "1m30s". A number needs a unit unless it is 0:
// some take it for seconds and some for milliseconds.
func (d *Duration) UnmarshalText(b []byte) error {
	s := string(b)
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%s is no duration; %s", Quote(s), durationRemedy(s))
	}
	*d = Duration(v)
	return nil
}

// durationRemedy says what to write in place of a text that is no duration.
func durationRemedy(s string) string {
	const longest = 12 // digits; a longer number is no time a table knows
	if _, err := strconv.ParseFloat(s, 64); err == nil && len(s) <= longest && strings.Trim(s, "0123456789.") == "" {
		return fmt.Sprintf("write %ss or %sms", s, s)
	}
	return "write 500ms, 2s or 5m"
}
