package tts

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter is the maximum pause that a service may ask for.
const maxRetryAfter = 10 * time.Minute

// BusyError is a rate limit error with its duration.
type BusyError struct {
	err   error
	after time.Duration
}

// Busy returns err with the duration from an HTTP Retry-After header, which holds seconds or a date. The
// duration is at most 10 minutes, and 0 if the header is invalid.
func Busy(err error, retryAfter string) *BusyError {
	value := strings.TrimSpace(retryAfter)
	after := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		after = time.Duration(min(max(seconds, 0), int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		after = min(max(time.Until(at), 0), maxRetryAfter)
	}
	return &BusyError{err, after}
}

func (e *BusyError) Error() string { return e.err.Error() }

// Unwrap returns the error passed to [Busy].
func (e *BusyError) Unwrap() error { return e.err }

// RetryAfter returns how long the service asked to be left alone, or 0 if it did not say.
func (e *BusyError) RetryAfter() time.Duration { return e.after }
