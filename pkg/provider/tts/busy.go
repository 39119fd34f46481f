package tts

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds how long a service may ask us to stay away.
const maxRetryAfter = 10 * time.Minute

// BusyError is a rate limit with the time it lasts.
type BusyError struct {
	err   error
	after time.Duration
}

// Busy returns err with what an HTTP header Retry-After says: seconds or a
// date, of which at most 10 minutes count. What cannot be read is no time.
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

// Unwrap returns the error without the time.
func (e *BusyError) Unwrap() error { return e.err }

// RetryAfter returns how long the service wants to be left alone, 0 if it did
// not say.
func (e *BusyError) RetryAfter() time.Duration { return e.after }
