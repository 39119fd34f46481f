package flow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

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

// Printable returns the vendor's words fit for a log: one line, short, and
// without the key, whole or in the masked form that shows its ends.
func Printable(s, key string) string {
	s = untrusted.Clean(s, 0)
	if key != "" {
		s = strings.ReplaceAll(s, key, "[redacted]")
	}
	words := strings.Fields(s)
	for i, word := range words {
		if strings.Contains(word, "***") {
			words[i] = "[redacted]"
		}
	}
	if s = untrusted.Clean(strings.Join(words, " "), maxDetail); s == "" {
		return "no reason given"
	}
	return s
}
