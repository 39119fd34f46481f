package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	vendor "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Errors of this provider.
var (
	// ErrVoice means a voice out of range; nothing was sent.
	ErrVoice = tts.ErrVoice
	// ErrRateLimited means the vendor asked to slow down (HTTP 429). The error
	// is a [tts.BusyError].
	ErrRateLimited = errors.New("speech is rate limited")
	// ErrUnavailable means the vendor could not be reached or failed (HTTP
	// 5xx, connection refused, sound cut off).
	ErrUnavailable = errors.New("speech is unavailable")
	// ErrRejected means the request itself is refused (bad key, unknown model
	// or voice, spent quota) or answered in a format nobody asked for.
	ErrRejected = errors.New("speech was refused")
)

const (
	// maxErrorBody bounds how much of an error response is read.
	maxErrorBody = 16 << 10
	// maxDetail bounds how much of it an error repeats.
	maxDetail = 200
)

// retryKey leads to where the header Retry-After of an error response is to be
// noted, which the vendor's package does not pass on.
type retryKey struct{}

// shortErrors reads and closes the body of error responses, up to a bound:
// the vendor's package reads them whole and leaves them open.
type shortErrors struct{ client *http.Client }

// Do implements the vendor package's HTTPDoer.
func (s shortErrors) Do(request *http.Request) (*http.Response, error) {
	response, err := s.client.Do(request)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	if after, ok := request.Context().Value(retryKey{}).(*string); ok {
		*after = response.Header.Get("Retry-After")
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err != nil {
		body = nil // the status says enough
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// failure maps what the client returned to this package's errors.
func (p *Provider) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	var (
		apiErr     *vendor.APIError
		requestErr *vendor.RequestError
	)
	switch {
	case errors.Is(err, ErrRejected):
		return err
	case errors.As(err, &apiErr):
		kind := byStatus(apiErr.HTTPStatusCode)
		if apiErr.Code == "insufficient_quota" { // waiting will not help
			kind = ErrRejected
		}
		return fmt.Errorf("%w: status %d: %s", kind, apiErr.HTTPStatusCode, p.printable(apiErr.Message))
	case errors.As(err, &requestErr):
		return fmt.Errorf("%w: status %d: %s", byStatus(requestErr.HTTPStatusCode), requestErr.HTTPStatusCode,
			p.printable(string(requestErr.Body)))
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, p.printable(transportDetail(err)))
}

// byStatus returns the error an HTTP status stands for.
func byStatus(status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return ErrRateLimited
	case status >= 500, status == http.StatusRequestTimeout:
		return ErrUnavailable
	}
	return ErrRejected
}

// transportDetail describes err without the URL, which may carry credentials.
func transportDetail(err error) string {
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		err = urlErr.Err
	}
	var opErr *net.OpError
	if errors.As(err, &opErr) {
		return opErr.Error()
	}
	return err.Error()
}

// printable returns the vendor's words fit for a log: one line, short, without
// the key and without what looks like one.
func (p *Provider) printable(s string) string {
	return cmp.Or(untrusted.Reason(s, p.key, maxDetail), "no reason given")
}

// stopped is the error after ctx is done.
func stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("speaking: %w", err)
	}
	return fmt.Errorf("speaking: %w: %w", err, cause)
}
