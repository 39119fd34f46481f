package access

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

var (
	// ErrUnauthorized is returned when nobody knows who is calling.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden is returned when the caller is known and may do nothing here.
	ErrForbidden = errors.New("forbidden")
	// ErrTooMany is returned for a wrong token when too many came from its address, or
	// began alike.
	ErrTooMany = errors.New("too many wrong tokens")
	// ErrUnavailable is returned when the authorization server's keys cannot be
	// had, so that nobody can tell whether a token is right.
	ErrUnavailable = errors.New("authorization server unavailable")
)

// Codes of RFC 6750, section 3.1.
const (
	codeInvalidToken      = "invalid_token"
	codeInsufficientScope = "insufficient_scope"
)

// denial is why somebody was not let in.
type denial struct {
	kind error // one of the sentinels
	text string
	code string // of RFC 6750; empty if no token was given
	wait time.Duration
	// innocent denials are of tokens that were right once, so no guesses.
	innocent bool
	// cause is for the operator's eyes only.
	cause error
}

func (d *denial) Error() string { return d.kind.Error() + ": " + d.text }

func (d *denial) Unwrap() error { return d.kind }

func tooMany(wait time.Duration) error {
	seconds := (wait + time.Second - 1).Truncate(time.Second)
	return &denial{kind: ErrTooMany, wait: seconds, text: "try again in " + strconv.Itoa(int(seconds/time.Second)) + " s"}
}

// isGuess reports whether err is about a token that somebody may have made up.
func isGuess(err error) bool {
	var d *denial
	return errors.As(err, &d) && d.kind == ErrUnauthorized && !d.innocent
}

// RefusesToken reports whether an error of [Gatekeeper.Identify] is about a token that
// was sent and is worth nothing here, not about one that is missing or cannot be judged.
func RefusesToken(err error) bool {
	var d *denial
	return errors.As(err, &d) && (d.code != "" || d.kind == ErrTooMany) && d.kind != ErrUnavailable
}

// cause returns what the operator should know of err.
func cause(err error) error {
	var d *denial
	if errors.As(err, &d) && d.cause != nil {
		return d.cause
	}
	return err
}

// Status returns the HTTP status for an error of [Gatekeeper.Identify] or
// [Guard.Check]; 500 for any other.
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

// RetryAfter returns how long to wait before it is worth trying again, in whole
// seconds; 0 if waiting does not help.
func RetryAfter(err error) time.Duration {
	var d *denial
	if errors.As(err, &d) {
		return d.wait
	}
	return 0
}
