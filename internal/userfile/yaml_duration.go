package userfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that is written as "500ms" or "5m". Only 0 needs no unit.
type Duration time.Duration

// String returns the duration as "500ms" or "5m0s".
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns text that UnmarshalText accepts.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalYAML returns text that [ReadYAML] accepts.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalText parses a text such as "500ms" or "1m30s". A number other than 0 needs a unit, because some
// people would take it for seconds and others for milliseconds.
func (d *Duration) UnmarshalText(b []byte) error {
	s := string(b)
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%s is no duration; %s", Quote(s), durationRemedy(s))
	}
	*d = Duration(v)
	return nil
}

// durationRemedy says what to write instead of a text that is not a duration.
func durationRemedy(s string) string {
	const longest = 12 // digits; a longer number is not a plausible duration
	if _, err := strconv.ParseFloat(s, 64); err == nil && len(s) <= longest && strings.Trim(s, "0123456789.") == "" {
		return fmt.Sprintf("write %ss or %sms", s, s)
	}
	return "write 500ms, 2s or 5m"
}
