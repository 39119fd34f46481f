package gemini

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/genai"
)

const (
	// openTimeout bounds the opening of a connection.
	openTimeout = 15 * time.Second
	// maxDials is how many connections are being opened at a time, those included
	// that were given up.
	maxDials = 8
)

// errForgotten means that the service does not know the session to be resumed.
var errForgotten = errors.New("it does not know the session any more")

// dial opens a connection. The vendor's client takes no context for that: once ctx
// ends, its goroutine is left to close the connection when there is one.
func (p *Provider) dial(parent context.Context, config *genai.LiveConnectConfig) (*genai.Session, error) {
	if parent.Err() != nil {
		return nil, p.service.Stopped(parent)
	}
	select {
	case p.dials <- struct{}{}:
	default:
		return nil, fmt.Errorf("%w: %d earlier connections have no answer yet; %s", p.service.Unavailable, maxDials, p.service.CheckAddress())
	}
	ctx, cancel := context.WithTimeout(parent, openTimeout)
	defer cancel()
	type dialled struct {
		conn *genai.Session
		err  error
	}
	result := make(chan dialled)
	go func() { // ends once the service has answered or hung up; dials bounds how many wait
		defer func() { <-p.dials }()
		conn, err := p.client.Live.Connect(context.WithoutCancel(ctx), p.opts.Model, config)
		select {
		case result <- dialled{conn, err}:
		case <-ctx.Done():
			if err == nil {
				_ = conn.Close() // nobody wants it
			}
		}
	}()
	select {
	case r := <-result:
		if r.err != nil {
			return nil, p.whyRefused(parent, r.err)
		}
		return r.conn, nil
	case <-ctx.Done():
	}
	if parent.Err() != nil {
		return nil, p.service.Stopped(parent)
	}
	return nil, fmt.Errorf("%w: no answer within %s; %s", p.service.Unavailable, openTimeout, p.service.CheckAddress())
}

// whyRefused is the error of a connection that could not be opened.
func (p *Provider) whyRefused(ctx context.Context, err error) error {
	var closed *websocket.CloseError
	switch {
	case errors.As(err, &closed):
		return p.closed(closed, true)
	case errors.Is(err, websocket.ErrBadHandshake):
		return fmt.Errorf("%w: it takes no WebSocket there; %s", p.service.Unavailable, p.service.CheckAddress())
	case isTransport(err):
		return p.service.Unreachable(ctx, err)
	}
	if reason, ok := reported(err); ok {
		return fmt.Errorf("%w: %s", p.kind(0, reason, true), p.service.Printable(reason))
	}
	return fmt.Errorf("%w: %w", p.service.Unavailable, errMalformed)
}

// closed is the error of a connection that the service closed, while it was being
// opened or later.
func (p *Provider) closed(why *websocket.CloseError, opening bool) error {
	if strings.Contains(strings.ToLower(why.Text), "session not found") {
		return fmt.Errorf("%w: %w", p.service.Unavailable, errForgotten)
	}
	kind := p.kind(why.Code, why.Text, opening)
	advice := ""
	if isAboutKey(why.Text) {
		advice = "; " + p.service.Advice
	}
	return fmt.Errorf("%w: it closed the connection with code %d: %s%s", kind, why.Code, p.service.Printable(why.Text), advice)
}

// kind is what would help against a close of a code, for a reason.
func (p *Provider) kind(code int, reason string, opening bool) error {
	lower := strings.ToLower(reason)
	switch {
	case strings.Contains(lower, "quota"), strings.Contains(lower, "rate limit"), strings.Contains(lower, "resource_exhausted"):
		return p.service.RateLimited
	case isAboutKey(reason), strings.Contains(lower, "denied"), strings.Contains(lower, "permission"), strings.Contains(lower, "location is not supported"):
		return p.service.Rejected
	case opening && (code == websocket.CloseInvalidFramePayloadData || code == websocket.ClosePolicyViolation):
		return p.service.Rejected
	}
	return p.service.Unavailable // also 1007 and 1008 in mid-session, where a new session helps
}

// isAboutKey reports whether a reason speaks of the key.
func isAboutKey(reason string) bool {
	lower := strings.ToLower(reason)
	return strings.Contains(lower, "api key") || strings.Contains(lower, "unregistered caller") ||
		strings.Contains(lower, "unauthorized") || strings.Contains(lower, "authentication credential")
}
