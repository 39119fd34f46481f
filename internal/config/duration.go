package config

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// String returns the duration as "500ms" or "5m0s".
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText renders what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalYAML renders what [Load] reads.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalText reads "500ms", "1m30s" or a whole number of milliseconds.
func (d *Duration) UnmarshalText(b []byte) error {
	s := string(b)
	if v, err := time.ParseDuration(s); err == nil {
		*d = Duration(v)
		return nil
	}
	const most = math.MaxInt64 / int64(time.Millisecond)
	ms, err := strconv.ParseInt(s, 10, 64)
	if err != nil || ms > most || ms < -most {
		return fmt.Errorf("%s is no duration; write 500ms, 2s, 5m or a number of milliseconds", quote(s))
	}
	*d = Duration(time.Duration(ms) * time.Millisecond)
	return nil
}
