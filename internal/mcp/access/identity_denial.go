package access

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

var (
	// ErrUnauthorized means that the caller could not be identified.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden means that the caller is known but has no rights here.
	ErrForbidden = errors.New("forbidden")
	// ErrTooMany is returned for a wrong token after too many came from the same address or began alike.
	ErrTooMany = errors.New("too many wrong tokens")
	// ErrUnavailable means that the authorisation server's keys cannot be fetched, so a token cannot be
	// verified.
	ErrUnavailable = errors.New("authorization server unavailable")
)

// Error codes of RFC 6750, section 3.1.
const (
	codeInvalidToken      = "invalid_token"
	codeInsufficientScope = "insufficient_scope"
)

// denial says why a caller was refused.
type denial struct {
	kind error // one of the sentinels
	text string
	code string // RFC 6750 code; empty if no token was given
	wait time.Duration
	// innocent marks tokens that were valid once, so they are not guesses.
	innocent bool
	// cause is only for the operator.
	cause error
}

func (d *denial) Error() string { return d.kind.Error() + ": " + d.text }

func (d *denial) Unwrap() error { return d.kind }

func tooMany(wait time.Duration) error {
	seconds := (wait + time.Second - 1).Truncate(time.Second)
	return &denial{kind: ErrTooMany, wait: seconds, text: "try again in " + strconv.Itoa(int(seconds/time.Second)) + " s"}
}

// isGuess reports whether err is about a token that may be a guess.
func isGuess(err error) bool {
	var d *denial
	return errors.As(err, &d) && d.kind == ErrUnauthorized && !d.innocent
}

// RefusesToken reports whether an error of [Gatekeeper.Identify] means that the request's token is invalid,
// as opposed to missing or not verifiable.
func RefusesToken(err error) bool {
	var d *denial
	return errors.As(err, &d) && (d.code != "" || d.kind == ErrTooMany) && d.kind != ErrUnavailable
}

// cause returns the cause of err for the operator.
func cause(err error) error {
	var d *denial
	if errors.As(err, &d) && d.cause != nil {
		return d.cause
	}
	return err
}

// Status returns the HTTP status for an error of [Gatekeeper.Identify] or [Guard.Check], and 500 for any
// other error.
func Status(err error) int {
	switch {
	case errors.Is(err, ErrUnauthorized):
		return http.StatusUnauthorized
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrHost), errors.Is(err, ErrOrigin):
		return http.StatusForbidden
	case errors.Is(err, ErrTooMany):
		return http.StatusTooManyRequests
	case errors.Is(err, ErrUnavailable):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// RetryAfter returns how long to wait before a retry, in whole seconds; 0 if waiting does not help.
func RetryAfter(err error) time.Duration {
	var d *denial
	if errors.As(err, &d) {
		return d.wait
	}
	return 0
}
