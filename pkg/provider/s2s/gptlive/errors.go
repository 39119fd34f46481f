package gptlive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// maxErrorBody bounds how much of a refused handshake is read, in bytes.
const maxErrorBody = 16 << 10

var (
	errNoAnswer = errors.New("no answer in time")
	// hopeless are the vendor's words for what no retry cures.
	hopeless = map[string]bool{
		"insufficient_quota": true, "invalid_api_key": true, "account_deactivated": true,
		"billing_hard_limit_reached": true, "model_not_found": true,
	}
)

// refusal is a transport that notes why a handshake was refused, which the
// client's errors do not tell.
type refusal struct {
	next         http.RoundTripper
	status       int
	code, reason string
}

// client returns a copy of base that goes through r.
func (r *refusal) client(base *http.Client) *http.Client {
	c := *base
	c.Transport = r
	return &c
}

// RoundTrip implements [http.RoundTripper].
func (r *refusal) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil || response.StatusCode == http.StatusSwitchingProtocols {
		return response, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err != nil {
		body = nil // the status says enough
	}
	_ = response.Body.Close() // it has been read
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.status, r.reason = response.StatusCode, string(body)
	var said struct {
		Error vendorError `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil && said.Error.Message != "" {
		r.code, r.reason = said.Error.Code, said.Error.Message
	}
	return response, nil
}

// connectError is why there is no session. opening is ctx with a bound of our own.
func (p *Provider) connectError(ctx, opening context.Context, refused *refusal, err error) error {
	switch {
	case ctx.Err() != nil:
		return p.service.Stopped(ctx)
	case opening.Err() != nil:
		return fmt.Errorf("%w: no answer within %s; %s", s2s.ErrUnavailable, openTimeout, p.service.CheckAddress())
	case refused == nil || refused.status == 0:
		return p.service.Unreachable(ctx, err)
	case hopeless[refused.code]:
		return p.service.Refused(s2s.ErrRejected, refused.status, refused.reason)
	}
	return p.service.Refused(p.service.ByStatus(refused.status), refused.status, refused.reason)
}

// complaint is the error of an error event. Where nothing else is known it wraps
// otherwise: while a session is opened a refusal stays, later it is about one request
// of many.
func (p *Provider) complaint(e vendorError, otherwise error) error {
	kind := otherwise
	switch word := e.Code + " " + e.Type; {
	case hopeless[e.Code], hopeless[e.Type]:
		kind = s2s.ErrRejected
	case strings.Contains(word, "rate_limit"):
		kind = s2s.ErrRateLimited
	case strings.Contains(word, "server_error"), strings.Contains(word, "overloaded"), strings.Contains(word, "unavailable"):
		kind = s2s.ErrUnavailable
	}
	return fmt.Errorf("%w: %s", kind, p.service.Printable(e.Message))
}

// isFatal reports whether a session has no use after an error event.
func isFatal(e vendorError) bool { return hopeless[e.Code] || hopeless[e.Type] }

// closing is the error of a session that was closed for a reason. One we asked
// for is [s2s.ErrClosed] alone.
func (p *Provider) closing(reason string) error {
	switch reason {
	case "close_requested":
		return s2s.ErrClosed
	case "content":
		return fmt.Errorf("%w: %w: openai's safety filter ended the session", s2s.ErrClosed, s2s.ErrFiltered)
	case "expired":
		return fmt.Errorf("%w: %w: it has lasted as long as openai lets it", s2s.ErrClosed, s2s.ErrUnavailable)
	}
	return fmt.Errorf("%w: %w: openai ended it: %s", s2s.ErrClosed, s2s.ErrUnavailable, p.service.Printable(reason))
}

// broken is the error of a session whose connection has ended without a word.
func (p *Provider) broken(err error) error {
	return fmt.Errorf("%w: %w", s2s.ErrClosed, p.service.Unreachable(context.Background(), err))
}
