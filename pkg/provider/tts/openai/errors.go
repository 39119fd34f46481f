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
	// ErrVoice means a voice out of range; nothing was sent.
	ErrVoice = tts.ErrVoice
	// ErrRateLimited is a [tts.BusyError].
	ErrRateLimited = tts.ErrRateLimited
	ErrUnavailable = tts.ErrUnavailable
	ErrRejected    = tts.ErrRejected
)

// maxErrorBody bounds how much of an error response is read.
const maxErrorBody = 16 << 10

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
	if ctx.Err() == nil && errors.Is(err, ErrRejected) {
		return err
	}
	return p.service.Failed(ctx, err)
}
