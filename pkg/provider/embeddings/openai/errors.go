package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// maxDetail bounds how much of a vendor's message enters an error, in runes.
const maxDetail = 200

// explain turns the client's error into one line that tells what would help.
// The client's own error is not wrapped: it can carry the request's URL and
// the answer's body.
func (e *Embedder) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	status, detail := 0, ""
	var api *openai.APIError
	var req *openai.RequestError
	switch {
	case errors.As(err, &api):
		status, detail = api.HTTPStatusCode, api.Message
	case errors.As(err, &req):
		status, detail = req.HTTPStatusCode, string(req.Body)
	default:
		return fmt.Errorf("%w: %s", embeddings.ErrUnavailable, e.clean(err.Error()))
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		// Vendors like to repeat parts of the key here.
		return fmt.Errorf("%w: status %d; check api_key", embeddings.ErrRejected, status)
	case status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s", embeddings.ErrRateLimited, e.clean(detail))
	case status >= 500:
		return fmt.Errorf("%w: status %d: %s", embeddings.ErrUnavailable, status, e.clean(detail))
	}
	return fmt.Errorf("%w: status %d: %s", embeddings.ErrRejected, status, e.clean(detail))
}

// clean makes foreign text fit for an error: one short line without keys.
func (e *Embedder) clean(s string) string {
	return cmp.Or(untrusted.Reason(s, e.key, maxDetail), "no reason given")
}
