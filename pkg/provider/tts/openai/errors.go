package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Errors of this provider.
var (
	// ErrVoice means that the voice is out of range. No request was sent.
	ErrVoice = tts.ErrVoice
	// ErrRateLimited is a [tts.BusyError].
	ErrRateLimited = tts.ErrRateLimited
	ErrUnavailable = tts.ErrUnavailable
	ErrRejected    = tts.ErrRejected
)

// maxErrorBody is the maximum number of bytes read from an error response.
const maxErrorBody = 16 << 10

// retryKey is the context key of the string that receives the Retry-After header of an error response, which
// the client library does not return.
type retryKey struct{}

// shortErrors reads and closes the body of error responses, up to maxErrorBody bytes, because the client
// library would read all of it and leave it open.
type shortErrors struct{ client *http.Client }

// Do implements the client library's HTTPDoer.
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
		body = nil // the status is enough
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// failure maps the client's error to this package's errors.
func (p *Provider) failure(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, ErrRejected) {
		return err
	}
	return p.service.Failed(ctx, err)
}
