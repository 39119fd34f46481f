package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// maxDetail bounds how much of a vendor's words an error repeats.
const maxDetail = 200

// ByStatus returns the error an HTTP status stands for.
func ByStatus(status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return stt.ErrRateLimited
	case status >= 500, status == http.StatusRequestTimeout:
		return stt.ErrUnavailable
	}
	return stt.ErrRejected
}

// Unreachable wraps [stt.ErrUnavailable] around what a transport said, without
// the address, which may carry credentials, and without the key. Once ctx is
// done it wraps ctx.Err and its cause instead.
func Unreachable(ctx context.Context, err error, key string) error {
	if ctx.Err() != nil {
		return Stopped(ctx)
	}
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		err = urlErr.Err
	}
	var opErr *net.OpError
	if errors.As(err, &opErr) {
		err = opErr
	}
	return fmt.Errorf("%w: %s", stt.ErrUnavailable, Printable(err.Error(), key))
}

// Stopped is the error after ctx is done.
func Stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("hearing: %w", err)
	}
	return fmt.Errorf("hearing: %w: %w", err, cause)
}

// Printable returns the vendor's words fit for a log: one line, short, without
// the key and without what looks like one.
func Printable(s, key string) string {
	return cmp.Or(untrusted.Reason(s, key, maxDetail), "no reason given")
}

// Refused is the error of an answer with an HTTP status, of a kind such as
// [ByStatus] tells, with the vendor's reason and what may help.
func Refused(kind error, status int, reason, key string) error {
	advice := ""
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		advice = "; check its api_key in providers.stt"
	}
	return fmt.Errorf("%w: status %d: %s%s", kind, status, Printable(reason, key), advice)
}
