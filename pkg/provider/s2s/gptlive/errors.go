package gptlive

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// hopeless lists the vendor's error codes that no retry cures.
var hopeless = map[string]bool{
	"insufficient_quota": true, "invalid_api_key": true, "account_deactivated": true,
	"billing_hard_limit_reached": true, "model_not_found": true,
}

// refusal returns the error for a refused handshake.
func (p *Provider) refusal(status int, body []byte) error {
	kind, reason := p.service.ByStatus(status), string(body)
	var said struct {
		Error vendorError `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil && said.Error.Message != "" {
		reason = said.Error.Message
		if hopeless[said.Error.Code] {
			kind = s2s.ErrRejected
		}
	}
	return p.service.Refused(kind, status, reason)
}

// complaint returns the error for an error event. It wraps otherwise if nothing else is known: while a
// session is being opened a refusal is permanent, but later it concerns only one request of many.
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

// isFatal reports whether a session is useless after an error event.
func isFatal(e vendorError) bool { return hopeless[e.Code] || hopeless[e.Type] }

// closing returns the error for a session that the service closed. If the client requested it, that is
// [s2s.ErrClosed] alone.
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

// broken returns the error for a session whose connection was lost.
func (p *Provider) broken(err error) error {
	return fmt.Errorf("%w: %w", s2s.ErrClosed, p.service.Unreachable(context.Background(), err))
}
